import type { RecordedChat } from '../../../replay/recorded-chat.ts'
import type { ChatTurn } from './conversation.ts'
import { type ChatDraft, NO_DRAFT } from './draft.ts'
import type { Chats } from './use-chats.ts'

/** Draft with the last message and the settings of a recorded request. */
export function draftOf(recorded: RecordedChat | undefined): ChatDraft {
  if (!recorded) return NO_DRAFT
  const { format, system, prompt, tools, maxTokens, temperature } = recorded
  return { ...NO_DRAFT, format, system, prompt, tools, maxTokens, temperature }
}

/** Conversation before the last message of a recorded request. */
export function chatsOf(recorded: RecordedChat | undefined): Chats {
  if (!recorded || recorded.before.length === 0) return {}
  const turns = recorded.before.map(({ role, text }): ChatTurn => {
    if (role === 'user') return { role, text, files: [] }
    return { role, text, reasoning: '', thoughts: [], items: [], calls: [] }
  })
  return { [recorded.model]: { turns, isBusy: false } }
}
