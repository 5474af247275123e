#!/usr/bin/env node
/** `npx askback`: the program of the package. What it does stands in redrive.ts; here are only the world's ends. */
import { sqsClient } from '../aws/clients.ts';
import { runProgram } from './redrive.ts';

process.exitCode = await runProgram(process.argv.slice(2), {
  connect: (region) => sqsClient(region === undefined ? {} : { region }),
  out: (line) => console.log(line),
  err: (line) => console.error(line),
});
