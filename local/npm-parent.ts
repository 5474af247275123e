/**
 * Ends with npm. npm runs a script in a shell; whoever ends the npm process ends that shell too, but not what the shell
 * has started: the server would go on, hold its port and its data, and belong to nobody. `exec node ...` in the script
 * would mend that, and would not run in the shell of Windows. So the server looks whether its parent is still there.
 */
const LOOK_EVERY_MS = 500;

/**
 * Calls `ended` once when the parent has gone. Without npm there is nothing to look for: who starts the program by
 * hand may well want it to outlive the shell.
 */
export function whenNpmEnds(env: Readonly<Record<string, string | undefined>>, ended: () => void): void {
  if (env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    ended();
  }, LOOK_EVERY_MS);
  looking.unref();
}
