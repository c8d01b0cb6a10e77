/** Patch that adds a file of one line, in the format of OpenAI's models. */
export const addition = (path: string, content: string): string =>
  ['*** Begin Patch', `*** Add File: ${path}`, `+${content}`, '*** End Patch'].join('\n')
