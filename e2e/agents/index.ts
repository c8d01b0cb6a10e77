import type { Agent } from './agent.ts'
import { aider } from './aider.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { continueCli } from './continue.ts'
import { geminiCli } from './gemini-cli.ts'
import { opencode } from './opencode.ts'
import { qwenCode } from './qwen-code.ts'

/** All tested coding agents. */
export const AGENTS: readonly Agent[] = [claudeCode, geminiCli, codex, opencode, qwenCode, continueCli, aider]
