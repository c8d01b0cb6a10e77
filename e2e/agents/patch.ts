/** A new file of one line, as models of OpenAI write it. */
export const addition = (path: string, content: string): string =>
  ['*** Begin Patch', `*** Add File: ${path}`, `+${content}`, '*** End Patch'].join('\n')
