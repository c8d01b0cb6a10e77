import { basename } from 'node:path'
import type { Agent } from './agent.ts'
import { addition } from './patch.ts'

/** @see https://opencode.ai/docs/providers/#custom-provider and https://opencode.ai/docs/cli/#run-1 */
export const opencode: Agent = {
  name: 'opencode',
  installation: { registry: 'npm', packages: { 'opencode-ai': '1.18.33' } },
  command: 'opencode',
  format: 'chat-completions',
  works: {
    read: (filePath) => ({ name: 'read', arguments: { filePath } }),
    // Models with OpenAI's names only get the patch tool.
    write: (filePath, content, offered = []) =>
      offered.includes('apply_patch')
        ? { name: 'apply_patch', arguments: { patchText: addition(basename(filePath), content) } }
        : { name: 'write', arguments: { filePath, content } },
  },
  dropsSignatures: ['messages', 'generate-content', 'responses'],
  launch: ({ prompt, url, apiKey, model }) => ({
    args: ['run', '-m', `headgate/${model}`, prompt],
    environment: { HEADGATE_API_KEY: apiKey, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    home: {
      '.config/opencode/opencode.json': {
        provider: {
          headgate: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: '{env:HEADGATE_API_KEY}' },
            models: { [model]: {} },
          },
        },
        share: 'disabled',
      },
    },
  }),
}
