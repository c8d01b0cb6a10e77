import type { Agent } from './agent.ts'

/** @see https://docs.continue.dev/guides/cli and https://docs.continue.dev/reference */
export const continueCli: Agent = {
  name: 'Continue',
  installation: { registry: 'npm', packages: { '@continuedev/cli': '1.5.47' } },
  command: 'cn',
  format: 'chat-completions',
  works: {
    read: (filepath) => ({ name: 'Read', arguments: { filepath } }),
    write: (filepath, content) => ({ name: 'Write', arguments: { filepath, content } }),
  },
  // It uses the responses format for models with OpenAI's names, and does not send reasoning items back.
  dropsSignatures: ['responses'],
  launch: ({ prompt, url, apiKey, model }) => ({
    args: ['-p', prompt, '--auto'],
    environment: { CONTINUE_TELEMETRY_ENABLED: '0' },
    home: {
      // JSON is valid YAML.
      '.continue/config.yaml': {
        name: 'headgate',
        version: '1.0.0',
        schema: 'v1',
        models: [{ name: 'headgate', provider: 'openai', model, apiBase: `${url}/v1`, apiKey }],
      },
    },
  }),
}
