/** An open question with everything that judging an answer to it needs. */
import type { Message } from '../message.ts';
import type { OpenAsk } from '../task.ts';
import { type Choices, choicesOf } from './options.ts';
import { questionData } from './question-data.ts';
import { type PreparedSchema, prepare } from './validate.ts';

export interface Asked {
  readonly open: Pick<OpenAsk, 'questionId' | 'wrapped' | 'parsesText' | 'allowOther'>;
  readonly schema: PreparedSchema;
  readonly choices: Choices;
  /** Names of `writeOnly` properties. */
  readonly secret: readonly string[];
  /** The one required property, when there is exactly one: what a text can answer. */
  readonly only: string | undefined;
}

export function askedBy(open: OpenAsk, question: Message): Asked {
  const { answerSchema, options } = questionData(question);
  const schema = prepare(answerSchema);
  return askedFor(open, schema, choicesOf(options, schema.root), open.secret ?? []);
}

/** @param secret names of the root's `writeOnly` properties */
export function askedFor(
  open: Asked['open'],
  schema: PreparedSchema,
  choices: Choices,
  secret: readonly string[] = schema.root.secret,
): Asked {
  const [only, ...more] = schema.root.required;
  return { open, schema, choices, secret, only: more.length === 0 ? only : undefined };
}
