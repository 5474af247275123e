/** Words of strangers, before a person sees them: in a terminal, on the inbox page (client/, inbox/). */
import { describe, expect, it } from 'vitest';
import { cleanLine, cleanText, TEXT_CHARS } from '../../core/clean-text.ts';
import { limits } from '../../core/limits.ts';

describe('text of strangers', () => {
  it.each([
    ['colour and cursor movements go whole', 'a\u001b[31mb\u001b[2Jc\u009b1Ad', 'abcd'],
    ['so does a title or a link, with what it holds', 'a\u001b]0;owned\u0007b\u001b]8;;http://x\u001b\\c', 'abc'],
    ['two-character sequences', 'a\u001bcb\u001b(0c', 'abc'],
    ['an escape that begins nothing', 'a\u001b', 'a'],
    ['controls, but tab and line feed', 'a\u0000\u0008b\tc\nd\u007f', 'ab\tc\nd'],
    ['line ends of all kinds are one', 'a\r\nb\rc\u2028d\u0085e', 'a\nb\nc\nd\ne'],
    ['marks of direction', 'a\u202eb\u2066c\u200f', 'abc'],
    ['what is invisible, tags and lone surrogates', 'a\u200b\u00ad\u3164\u{e0041}\ud800b', 'ab'],
    ['what joins an emoji stays', '\u{1f469}\u200d\u{1f469}', '\u{1f469}\u200d\u{1f469}'],
    ['space around it', '  a  ', 'a'],
  ])('%s', (_rule, text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  it('is cut between characters, the ellipsis counted', () => {
    expect(cleanText('x'.repeat(30), 10)).toBe('xxxxxxxxx…');
    expect(cleanText(`${'x'.repeat(8)}\u{1f469}xx`, 10)).toBe('xxxxxxxx…');
    expect(cleanText('x'.repeat(10), 10)).toBe('xxxxxxxxxx');
  });

  it('is at most as long as the text of a question may be', () => {
    expect(TEXT_CHARS).toBe(limits.questionTextBytes);
    expect(cleanText('x'.repeat(1_000_000))).toHaveLength(8_192);
  });

  it('costs no more than its length, whatever stands before what is kept', () => {
    expect(cleanText('\u200b'.repeat(5_000_000), 10)).toBe('');
  });

  it('is one line where one line is shown', () => {
    expect(cleanLine('a\n\t b\u001b[1A  c')).toBe('a b c');
    expect(cleanLine('x'.repeat(600))).toHaveLength(500);
  });
});
