import type { ScriptedClient } from './client.ts'

/** Java's clients, each with what it is tried with. */
export const JAVA_CLIENTS: readonly ScriptedClient[] = [
  {
    name: 'openai-java',
    format: 'chat-completions',
    packages: { 'com.openai:openai-java': '4.101.0' },
    script: 'Trial.java',
  },
]
