/** A person at this terminal as the loop's last source. */
import { askHuman } from '../ask-human.ts';
import { checkAnswer } from '../check-answer.ts';
import type { JsonObject, OpenQuestion, Resolution, Resolver } from '../types.ts';
import { fillForm } from './form.ts';
import type { Output } from './output.ts';
import { type Prompter, PromptClosed } from './prompter.ts';

/**
 * Ctrl-C leaves the question open. A question that is settled elsewhere meanwhile closes the prompt.
 * @param onLeave told when the person left
 */
export function askPerson(prompter: Prompter, out: Output, onLeave: () => void): Resolver {
  return askHuman(async (question, { signal }) => {
    try {
      return await answerOf(question, prompter, out, signal);
    } catch (error) {
      if (!(error instanceof PromptClosed)) throw error;
      if (signal.aborted) return 'pass';
      onLeave();
      return 'detach';
    }
  });
}

async function answerOf(
  question: OpenQuestion,
  prompter: Prompter,
  out: Output,
  signal: AbortSignal,
): Promise<Resolution> {
  if (question.kind === 'free-text') {
    const check = (text: string) => (text.trim() === '' ? 'an answer is needed here' : undefined);
    return { text: await prompter.line({ label: 'Your answer:', hidden: false, check }, signal) };
  }
  const errorsOf = (answer: JsonObject) => {
    const checked = checkAnswer(question, answer);
    return checked.ok ? [] : checked.errors;
  };
  return { answer: await fillForm(question, errorsOf, { prompter, out, signal }) };
}
