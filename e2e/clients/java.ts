import type { ScriptedClient } from './client.ts'

/** Java clients with their packages. */
export const JAVA_CLIENTS: readonly ScriptedClient[] = [
  {
    name: 'openai-java',
    format: 'chat-completions',
    packages: { 'com.openai:openai-java': '4.101.0' },
    script: 'Trial.java',
  },
]
