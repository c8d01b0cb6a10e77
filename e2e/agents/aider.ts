import type { Agent } from './agent.ts'

const FENCE = '```'

/** Writes whole files from the model's text. @see https://aider.chat/docs/llms/openai-compat.html */
export const aider: Agent = {
  name: 'aider',
  installation: { registry: 'PyPI', packages: { 'aider-chat': '0.86.2' } },
  command: 'aider',
  format: 'chat-completions',
  works: { say: (name, content) => `${name}\n${FENCE}\n${content}\n${FENCE}\n` },
  launch: ({ prompt, question, answer, url, apiKey, model }) => ({
    args: [
      ...[
        '--model',
        `openai/${model}`,
        '--edit-format',
        'whole',
        '--no-git',
        '--yes-always',
        '--no-show-model-warnings',
      ],
      ...['--no-check-update', '--analytics-disable', '--read', question, '--file', answer, '--message', prompt],
    ],
    environment: { OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: apiKey, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    home: {},
  }),
}
