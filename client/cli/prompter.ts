/** One line typed by a person: the only prompt the program needs, since every kind of value is read from a text. */

export interface LinePrompt {
  readonly label: string;
  /** Not shown while typed. */
  readonly hidden: boolean;
  /** Stands in the line already and can be edited. */
  readonly initial?: string;
  /** What is wrong with a text; shown beside it, and the text stays for editing. Undefined: it is taken. */
  check(text: string): string | undefined;
  /** What stands in the line once it is taken. */
  echo?(text: string): string;
}

export interface Prompter {
  /** @throws PromptClosed when the person presses Ctrl-C, or `signal` is aborted */
  line(prompt: LinePrompt, signal?: AbortSignal): Promise<string>;
}

export class PromptClosed extends Error {
  override readonly name = 'PromptClosed';
}

/** On @inquirer/prompts, which is loaded with the first question. */
export function terminalPrompter(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Prompter {
  return {
    async line({ label, hidden, initial, check, echo }, signal) {
      const { input: visible, password } = await import('@inquirer/prompts');
      const context = { input, output, ...(signal ? { signal } : {}) };
      const validate = (text: string) => check(text) ?? true;
      const theme = { style: { error: (message: string) => `✗ ${message}` }, prefix: { idle: '?', done: '✓' } };
      try {
        if (hidden) return await password({ message: label, validate, theme }, context);
        return await visible(
          {
            message: label,
            validate,
            theme,
            ...(initial === undefined ? {} : { default: initial, prefill: 'editable' }),
            transformer: (text, { isFinal }) => (isFinal && echo ? echo(text) : text),
          },
          context,
        );
      } catch (error) {
        if (error instanceof Error && /^(Exit|Abort|Cancel)PromptError$/.test(error.name)) {
          throw new PromptClosed('the prompt was closed', { cause: error });
        }
        throw error;
      }
    },
  };
}
