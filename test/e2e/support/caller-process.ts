/**
 * A caller as a process of its own, to be killed: sends one message by the official client, waits as it does, and prints
 * the task. Arguments: the agent's address, and the message as JSON.
 */
import type { Message } from '../../../core/message.ts';
import { connect } from '../../../local/official-client.ts';

const [url = '', message = '{}'] = process.argv.slice(2);
const caller = await connect(url, 'JSONRPC');
console.log(JSON.stringify(await caller.send(JSON.parse(message) as Message)));
