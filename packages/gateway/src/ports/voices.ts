/** Voices by the name that callers send, then by the name of the provider: the provider's name of the voice. */
export type Voices = Readonly<Record<string, Readonly<Record<string, string>>>>
