import { basename } from 'node:path'
import type { Agent } from './agent.ts'
import { addition } from './patch.ts'

/** TOML value for `-c`. */
const quoted = (text: string): string => JSON.stringify(text)

/** @see https://developers.openai.com/codex/config-reference */
export const codex: Agent = {
  name: 'Codex',
  installation: { registry: 'npm', packages: { '@openai/codex': '0.169.0' } },
  command: 'codex',
  format: 'responses',
  works: {
    read: (path) => ({ name: 'exec_command', arguments: { cmd: `cat ${quoted(path)}` } }),
    // Its file editor, which is a command of its shell.
    write: (path, content) => ({
      name: 'exec_command',
      arguments: { cmd: `apply_patch <<'EOF'\n${addition(basename(path), content)}\nEOF` },
    }),
  },
  searches: true,
  launch: ({ prompt, url, apiKey, model }) => ({
    args: [
      ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...[
        '-c',
        `model=${quoted(model)}`,
        '-c',
        'model_provider="headgate"',
        '-c',
        'model_providers.headgate.name="Headgate"',
      ],
      ...[
        '-c',
        `model_providers.headgate.base_url=${quoted(`${url}/v1`)}`,
        '-c',
        'model_providers.headgate.wire_api="responses"',
      ],
      ...['-c', 'model_providers.headgate.env_key="HEADGATE_API_KEY"', '-c', 'analytics.enabled=false', prompt],
    ],
    environment: { HEADGATE_API_KEY: apiKey },
    home: {},
  }),
}
