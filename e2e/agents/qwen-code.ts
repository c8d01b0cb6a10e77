import type { Agent } from './agent.ts'

/** @see https://qwenlm.github.io/qwen-code-docs/en/users/configuration/auth/ */
export const qwenCode: Agent = {
  name: 'Qwen Code',
  installation: { registry: 'npm', packages: { '@qwen-code/qwen-code': '0.24.4' } },
  command: 'qwen',
  format: 'chat-completions',
  works: {
    read: (file_path) => ({ name: 'read_file', arguments: { file_path } }),
    write: (file_path, content) => ({ name: 'write_file', arguments: { file_path, content } }),
  },
  dropsSignatures: ['messages', 'generate-content', 'responses'],
  launch: ({ prompt, url, apiKey, model }) => ({
    args: ['--yolo', '-p', prompt],
    environment: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: apiKey, OPENAI_MODEL: model },
    home: {
      '.qwen/settings.json': {
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false },
      },
    },
  }),
}
