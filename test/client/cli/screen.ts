/**
 * As much of a terminal as the program's output needs: text, line breaks, and the cursor movements and erasures with
 * which a prompt redraws itself. Gives the lines as a person sees them. Colours and modes are left out.
 */

const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is read
  /\u001b\[([?0-9;]*)([A-Za-z])|\u001b[()][A-Z0-9]|\u001b[=>78]|\r|\n|\u0008|\u0007|[^\u001b\r\n\u0008\u0007]/gu;

export function screenOf(output: string): string {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  for (const [token, parameters = '', command] of output.matchAll(TOKEN)) {
    const count = Number(parameters || '1');
    if (token === '\n') {
      row += 1;
      lines[row] ??= [];
    } else if (token === '\r') column = 0;
    else if (token === '\u0008') column = Math.max(0, column - 1);
    else if (command === 'A') row = Math.max(0, row - count);
    else if (command === 'B') row = Math.min(lines.length - 1, row + count);
    else if (command === 'C') column += count;
    else if (command === 'D') column = Math.max(0, column - count);
    else if (command === 'G') column = count - 1;
    else if (command === 'K') eraseLine(lines[row] as string[], column, parameters);
    else if (command === 'J') eraseBelow(lines, row, column);
    else if (!token.startsWith('\u001b') && token !== '\u0007') {
      const line = lines[row] as string[];
      while (line.length < column) line.push(' ');
      line[column] = token;
      column += 1;
    }
  }
  return lines
    .map((line) => line.join('').trimEnd())
    .join('\n')
    .trimEnd();
}

function eraseLine(line: string[], column: number, how: string): void {
  if (how === '2') line.length = 0;
  else if (how === '1') line.fill(' ', 0, column + 1);
  else line.length = Math.min(line.length, column);
}

function eraseBelow(lines: string[][], row: number, column: number): void {
  eraseLine(lines[row] as string[], column, '');
  lines.length = row + 1;
}
