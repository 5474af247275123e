/** Where an agent that offers the inbox page (inbox/) has it, below its base URL. Functions serve it, lib/ opens it. */
export const INBOX_PATH = '/inbox';
