/**
 * Ajv, loaded when the first schema needs it: most requests validate nothing, and loading costs 12 ms.
 *
 * Ajv is CommonJS. A bundler replaces the literal `require` calls below by its own copy, which runs when called; in
 * Node's ES modules there is no `require`, so one is made.
 */
import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';

type AjvModule = typeof import('ajv/dist/2020.js');
type FormatsModule = typeof import('ajv-formats');

let loaded: { readonly ajv: AjvModule; readonly formats: FormatsModule } | undefined;

function load(): { readonly ajv: AjvModule; readonly formats: FormatsModule } {
  if (typeof require === 'function') {
    return {
      ajv: require('ajv/dist/2020.js') as AjvModule,
      formats: require('ajv-formats') as FormatsModule,
    };
  }
  const load = createRequire(import.meta.url);
  return { ajv: load('ajv/dist/2020.js') as AjvModule, formats: load('ajv-formats') as FormatsModule };
}

/** Loads Ajv now, so that the first compile's time limit does not pay for it. */
export function warmAjv(): void {
  loaded ??= load();
}

/** A new instance for one schema: Ajv's own cache goes by identity and would grow for ever. */
export function newAjv(): Ajv2020 {
  loaded ??= load();
  const ajv = new loaded.ajv.Ajv2020({
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
  });
  loaded.formats.default(ajv, { mode: 'full', keywords: false });
  return ajv;
}
