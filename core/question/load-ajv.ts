/**
 * Ajv, loaded when the first schema needs it: most requests validate nothing, and loading costs 12 ms.
 *
 * Ajv is CommonJS. A bundler replaces the literal `require` calls below by its own copy, which runs when called; in
 * Node's ES modules there is no `require`, so one is made. Only the parts that draft 2020-12 needs are loaded: the ready
 * classes bring meta-schemas and vocabularies that are never used here, a tenth of the api function.
 */
import { createRequire } from 'node:module';
import type { Ajv2020, Options } from 'ajv/dist/2020.js';

type CoreModule = { readonly default: new (options: Options) => Ajv2020 };
type VocabulariesModule = typeof import('ajv/dist/vocabularies/draft2020.js');
type FormatsModule = typeof import('ajv-formats/dist/formats.js');

interface Loaded {
  readonly core: CoreModule;
  readonly draft2020: VocabulariesModule;
  readonly formats: FormatsModule;
}

let loaded: Loaded | undefined;

function load(): Loaded {
  if (typeof require === 'function') {
    return {
      core: require('ajv/dist/core.js') as CoreModule,
      draft2020: require('ajv/dist/vocabularies/draft2020.js') as VocabulariesModule,
      formats: require('ajv-formats/dist/formats.js') as FormatsModule,
    };
  }
  const load = createRequire(import.meta.url);
  return {
    core: load('ajv/dist/core.js') as CoreModule,
    draft2020: load('ajv/dist/vocabularies/draft2020.js') as VocabulariesModule,
    formats: load('ajv-formats/dist/formats.js') as FormatsModule,
  };
}

/**
 * Schemas are expanded before they are compiled, so there is no address to resolve (expand-schema.ts). Ajv asks for that
 * of the empty one only; deployed bundles have no library for any other (aws/lambda-left-out.ts).
 */
const NO_ADDRESSES: NonNullable<Options['uriResolver']> = {
  parse: (path) => ({ path }),
  serialize: ({ path }) => path ?? '',
  resolve: (_base, path) => {
    throw new Error(`a schema that is compiled has no references, but this one has ${path}`);
  },
};

/** Loads Ajv now, so that the first compile's time limit does not pay for it. */
export function warmAjv(): void {
  loaded ??= load();
}

/** A new instance for one schema: Ajv's own cache goes by identity and would grow for ever. */
export function newAjv(): Ajv2020 {
  loaded ??= load();
  const ajv = new loaded.core.default({
    // The schema has passed check-schema.ts: no meta-schema (a compile of 40 ms), no opinions of Ajv's own.
    meta: false,
    validateSchema: false,
    strict: false,
    strictNumbers: true,
    allErrors: true,
    messages: false,
    // Without it a property named `constructor` is found in every object.
    ownProperties: true,
    addUsedSchema: false,
    logger: false,
    formats: loaded.formats.fullFormats,
    uriResolver: NO_ADDRESSES,
    dynamicRef: true,
    next: true,
    unevaluated: true,
  });
  for (const vocabulary of loaded.draft2020.default) ajv.addVocabulary(vocabulary);
  return ajv;
}
