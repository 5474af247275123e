/** `npm run build`: the published form of the package, in dist/, from nothing. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, runNode, tool } from './run.ts';

rmSync(join(root, 'dist'), { recursive: true, force: true });
runNode([tool('typescript/bin/tsc'), '-p', 'tsconfig.build.json']);
