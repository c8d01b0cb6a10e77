import type { Agent } from './agent.ts'

/**
 * @see https://code.claude.com/docs/en/llm-gateway and https://code.claude.com/docs/en/settings#environment-variables
 */
export const claudeCode: Agent = {
  name: 'Claude Code',
  installation: { registry: 'npm', packages: { '@anthropic-ai/claude-code': '2.1.329' } },
  command: 'claude',
  format: 'messages',
  works: {
    read: (file_path) => ({ name: 'Read', arguments: { file_path } }),
    write: (file_path, content) => ({ name: 'Write', arguments: { file_path, content } }),
  },
  launch: ({ prompt, url, apiKey, model }) => ({
    // The prompt is first, because `--allowedTools` takes all following arguments.
    args: ['-p', prompt, '--allowedTools', 'Read', 'Write'],
    environment: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: apiKey,
      ANTHROPIC_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    },
    home: {},
  }),
}
