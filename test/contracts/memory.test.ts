import { MemoryTaskStore } from '../fakes/memory-store.ts';
import { childrenContract } from './children.contract.ts';
import { claimContract } from './claim.contract.ts';
import { listContract } from './list.contract.ts';
import { taskStoreContract } from './task-store.contract.ts';

taskStoreContract('in memory', async () => ({ store: new MemoryTaskStore() }));
claimContract('in memory', async () => ({ store: new MemoryTaskStore() }));
childrenContract('in memory', async () => ({ store: new MemoryTaskStore() }));
listContract('in memory', async () => ({ store: new MemoryTaskStore() }));
