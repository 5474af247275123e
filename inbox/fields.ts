/**
 * From a question to the fields of its form. Pure: what a field looks like is field-view.ts's, what becomes of its
 * entries is answer.ts's. What no input fits becomes a JSON field, so that every question can be answered.
 */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { labelOf, oneLine, plainText } from './plain-text.ts';
import type { OpenQuestion } from './question.ts';
import { MAX_DEPTH, names, objectOf, readNode } from './schema.ts';

export interface Choice {
  readonly value: Json;
  readonly label: string;
  readonly description?: string;
}

interface Common {
  /** Names its entry, and its elements on the page; never the agent's word. */
  readonly id: string;
  /** JSON Pointer into the answer; empty for the whole. */
  readonly pointer: string;
  /** The property's name; empty for the whole. */
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly required: boolean;
  /** Left empty it means null, where a value is required. */
  readonly nullable: boolean;
}

export interface ChoiceField extends Common {
  readonly kind: 'choice';
  readonly choices: readonly Choice[];
  /** Options are shown one by one; an enumeration may be long. */
  readonly from: 'options' | 'boolean' | 'enum';
  /** For another value than the choices. */
  readonly other: Field | undefined;
}

export interface ManyField extends Common {
  readonly kind: 'many';
  readonly choices: readonly Choice[];
  readonly least: number;
  readonly most: number;
}

export interface NumberField extends Common {
  readonly kind: 'number';
  readonly whole: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** The bound itself is too small, or too large. */
  readonly above: number | undefined;
  readonly below: number | undefined;
  readonly step: number | undefined;
}

export type TextForm = 'line' | 'lines' | 'email' | 'date' | 'date-time' | 'uri';

export interface TextField extends Common {
  readonly kind: 'text';
  readonly form: TextForm;
  readonly secret: boolean;
  readonly least: number;
  readonly most: number | undefined;
}

export interface GroupField extends Common {
  readonly kind: 'group';
  readonly fields: readonly Field[];
}

export interface JsonField extends Common {
  readonly kind: 'json';
}

export type Field = ChoiceField | ManyField | NumberField | TextField | GroupField | JsonField;

/** More than anybody fills in; what is beyond becomes JSON. */
const MAX_FIELDS = 150;
const MAX_CHOICES = 300;
/** Longer texts get several lines. */
const LONG = 120;

export function fieldsOf({ schema: root, options, allowOther }: OpenQuestion): readonly Field[] {
  const { schema } = readNode(root, root);
  const properties = Object.entries(objectOf(schema.properties));
  const required = names(schema.required);
  const reader = new FieldReader(root, properties.length);
  if (properties.length === 0 || properties.length > MAX_FIELDS) return [reader.whole()];
  return properties.map(([name, property]) => {
    const place = { name, pointer: `/${pointerName(name)}`, required: required.includes(name), depth: 1 };
    const field = reader.field(property, place);
    const choices = optionsFor(name, options, required);
    return choices.length === 0 ? field : withOptions(field, choices, allowOther);
  });
}

interface Place {
  readonly name: string;
  readonly pointer: string;
  readonly required: boolean;
  readonly depth: number;
}

class FieldReader {
  readonly #root: JsonObject;
  #made = 0;
  #planned: number;

  constructor(root: JsonObject, planned: number) {
    this.#root = root;
    this.#planned = planned;
  }

  whole(): Field {
    const id = this.#nextId();
    const label = 'Your answer';
    return { kind: 'json', id, pointer: '', name: '', label, description: undefined, required: true, nullable: false };
  }

  field(property: Json, place: Place): Field {
    const { schema, nullable } = readNode(property, this.#root);
    const common: Common = {
      id: this.#nextId(),
      pointer: place.pointer,
      name: place.name,
      label: oneLine(schema.title) || labelOf(place.name) || 'Your answer',
      description: plainText(schema.description, 2_000) || undefined,
      required: place.required,
      nullable,
    };
    return (
      choiceField(common, schema, this.#root) ??
      manyField(common, schema, this.#root) ??
      numberField(common, schema) ??
      textField(common, schema) ??
      this.#group(common, schema, place.depth) ?? { ...common, kind: 'json' }
    );
  }

  #group(common: Common, schema: JsonObject, depth: number): GroupField | undefined {
    const properties = Object.entries(objectOf(schema.properties));
    if (schema.type !== 'object' || properties.length === 0 || depth >= MAX_DEPTH) return undefined;
    if (common.nullable || this.#planned + properties.length > MAX_FIELDS) return undefined;
    this.#planned += properties.length;
    const required = names(schema.required);
    const fields = properties.map(([name, property]) =>
      this.field(property, {
        name,
        pointer: `${common.pointer}/${pointerName(name)}`,
        required: required.includes(name),
        depth: depth + 1,
      }),
    );
    return { ...common, kind: 'group', fields };
  }

  #nextId(): string {
    this.#made += 1;
    return `field-${this.#made}`;
  }
}

function choiceField(common: Common, schema: JsonObject, root: JsonObject): ChoiceField | undefined {
  if (schema.type === 'boolean' && schema.enum === undefined && schema.const === undefined) {
    return { ...common, kind: 'choice', choices: YES_NO, from: 'boolean', other: undefined };
  }
  const choices = valuesOf(schema, root);
  return choices && { ...common, kind: 'choice', choices, from: 'enum', other: undefined };
}

const YES_NO: readonly Choice[] = [
  { value: true, label: 'Yes' },
  { value: false, label: 'No' },
];

/** The values of `enum`, of `const`, or of branches that are each one value (as MCP writes labels). */
function valuesOf(schema: JsonObject, root: JsonObject): readonly Choice[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [choiceOf(schema.const as Json)];
  if (Array.isArray(schema.enum)) return bounded(schema.enum.map(choiceOf));
  const branches = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(branches)) return undefined;
  const nodes = (branches as readonly Json[]).map((branch) => readNode(branch, root).schema);
  if (nodes.some((node) => !Object.hasOwn(node, 'const'))) return undefined;
  return bounded(
    nodes.map((node) => ({
      ...choiceOf(node.const as Json),
      ...(oneLine(node.title) === '' ? {} : { label: oneLine(node.title) }),
      ...(plainText(node.description) === '' ? {} : { description: plainText(node.description, 500) }),
    })),
  );
}

function bounded(choices: readonly Choice[]): readonly Choice[] | undefined {
  return choices.length === 0 || choices.length > MAX_CHOICES ? undefined : choices;
}

function manyField(common: Common, schema: JsonObject, root: JsonObject): ManyField | undefined {
  if (schema.type !== 'array' || common.nullable) return undefined;
  const choices = valuesOf(readNode(schema.items, root).schema, root);
  if (choices === undefined) return undefined;
  const most = numberOf(schema.maxItems) ?? choices.length;
  return { ...common, kind: 'many', choices, least: numberOf(schema.minItems) ?? 0, most };
}

function numberField(common: Common, schema: JsonObject): NumberField | undefined {
  if (schema.type !== 'number' && schema.type !== 'integer') return undefined;
  return {
    ...common,
    kind: 'number',
    whole: schema.type === 'integer',
    min: numberOf(schema.minimum),
    max: numberOf(schema.maximum),
    above: numberOf(schema.exclusiveMinimum),
    below: numberOf(schema.exclusiveMaximum),
    step: numberOf(schema.multipleOf),
  };
}

const FORMS: Readonly<Record<string, TextForm>> = {
  email: 'email',
  date: 'date',
  'date-time': 'date-time',
  uri: 'uri',
};

function textField(common: Common, schema: JsonObject): TextField | undefined {
  if (schema.type !== 'string') return undefined;
  const { format } = schema;
  const most = numberOf(schema.maxLength);
  const known = typeof format === 'string' && Object.hasOwn(FORMS, format) ? FORMS[format] : undefined;
  const long = most === undefined ? schema.pattern === undefined && format === undefined : most > LONG;
  return {
    ...common,
    kind: 'text',
    form: known ?? (long ? 'lines' : 'line'),
    secret: schema.writeOnly === true,
    least: numberOf(schema.minLength) ?? 0,
    most,
  };
}

/** A list belongs to the one required property; an object has a list for each property. */
function optionsFor(name: string, options: Json | undefined, required: readonly string[]): readonly Choice[] {
  const list = Array.isArray(options)
    ? required.length === 1 && required[0] === name && options
    : isJsonObject(options) && Object.hasOwn(options, name) && options[name];
  return Array.isArray(list) ? list.slice(0, MAX_CHOICES).map(optionOf) : [];
}

function withOptions(field: Field, choices: readonly Choice[], allowOther: boolean): ChoiceField {
  const { id, pointer, name, label, description, required, nullable } = field;
  const common: Common = { id, pointer, name, label, description, required, nullable };
  const alone = { id: `${id}-other`, label: 'Another answer', description: undefined, required: true };
  const other = allowOther ? { ...field, ...alone } : undefined;
  return { ...common, kind: 'choice', choices, from: 'options', other };
}

/** An option is a value, or an object of a value, its label and perhaps a description, and nothing else. */
function optionOf(option: Json): Choice {
  if (!isJsonObject(option) || !Object.hasOwn(option, 'value') || typeof option.label !== 'string') {
    return choiceOf(option);
  }
  if (Object.keys(option).some((key) => !['value', 'label', 'description'].includes(key))) return choiceOf(option);
  const value = option.value as Json;
  const description = plainText(option.description, 500);
  return {
    value,
    label: oneLine(option.label) || choiceOf(value).label,
    ...(description === '' ? {} : { description }),
  };
}

function choiceOf(value: Json): Choice {
  if (typeof value === 'string') return { value, label: oneLine(value) || '(empty)' };
  if (typeof value === 'boolean') return { value, label: value ? 'Yes' : 'No' };
  return { value, label: oneLine(JSON.stringify(value)) };
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function pointerName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
