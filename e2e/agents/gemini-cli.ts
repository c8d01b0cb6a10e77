import type { Agent } from './agent.ts'

/** @see https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md */
export const geminiCli: Agent = {
  name: 'Gemini CLI',
  installation: { registry: 'npm', packages: { '@google/gemini-cli': '0.61.0' } },
  command: 'gemini',
  format: 'generate-content',
  works: {
    read: (file_path) => ({ name: 'read_file', arguments: { file_path } }),
    write: (file_path, content) => ({ name: 'write_file', arguments: { file_path, content } }),
  },
  launch: ({ prompt, url, apiKey, model }) => ({
    args: ['--skip-trust', '--yolo', '-p', prompt],
    environment: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: apiKey, GEMINI_MODEL: model },
    home: {
      '.gemini/settings.json': {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false },
      },
    },
  }),
}
