import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { announce } from '../../../components/announcements.tsx'
import type { Answer } from './answer.ts'
import { askChat, type Exchange } from './ask.ts'
import type { ResultsTurn, Settings, Turn, UserTurn } from './conversation.ts'

/** A conversation with one model. */
export interface Chat {
  readonly turns: readonly Turn[]
  readonly isBusy: boolean
  /** What is coming. */
  readonly live?: Answer | undefined
  /** The last answer, with how it ended. */
  readonly last?: Answer | undefined
  readonly exchange?: Exchange | undefined
  /** Why there is no answer. */
  readonly error?: unknown
}

export const NO_CHAT: Chat = { turns: [], isBusy: false }

type Chats = Readonly<Record<string, Chat>>

export interface ChatsHandle {
  readonly chats: Chats
  readonly areBusy: boolean
  /** Says the same to all models that are not answering. */
  send(models: readonly string[], turn: UserTurn, settings: Settings): void
  /** Answers what one model has called. */
  reply(model: string, turn: ResultsTurn, settings: Settings): void
  /** Asks one model once more, where it has not answered. */
  again(model: string, settings: Settings): void
  /** Stops one, or all. */
  stop(model?: string): void
  clear(): void
}

/** Conversations with several models, which end where the page is left. */
export function useChats(project: string | undefined): ChatsHandle {
  const [chats, setChats] = useState<Chats>({})
  const running = useRef(new Map<string, AbortController>())
  const change = useCallback((model: string, next: Chat) => setChats((all) => ({ ...all, [model]: next })), [])
  useEffect(() => {
    const all = running.current
    return () => {
      for (const one of all.values()) one.abort()
      all.clear()
    }
  }, [])
  const { mutate } = useMutation({
    mutationFn: async ({ model, turns, settings }: { model: string; turns: readonly Turn[]; settings: Settings }) => {
      const own = new AbortController()
      running.current.set(model, own)
      const isOurs = (): boolean => running.current.get(model) === own
      change(model, { turns, isBusy: true })
      try {
        const { answer, exchange } = await askChat(
          { ...settings, model, turns },
          {
            project,
            signal: own.signal,
            onProgress: (live) => isOurs() && change(model, { turns, live, isBusy: true }),
          },
        )
        if (!isOurs()) return
        running.current.delete(model)
        const { text, reasoning, thoughts, items, calls } = answer
        const hasSaid = text !== '' || reasoning !== '' || calls.length > 0
        const said = hasSaid
          ? [...turns, { role: 'assistant' as const, text, reasoning, thoughts, items, calls }]
          : turns
        change(model, { turns: said, last: answer, exchange, isBusy: false })
        announce(answer.finish === 'stopped' ? `${model} was stopped.` : `Answer of ${model} complete.`)
      } catch (error) {
        if (!isOurs()) return
        running.current.delete(model)
        if (own.signal.aborted) change(model, { turns, isBusy: false })
        else {
          change(model, { turns, error, isBusy: false })
          throw error
        }
      }
    },
  })
  const turnsOf = (model: string): readonly Turn[] => chats[model]?.turns ?? []
  return {
    chats,
    areBusy: Object.values(chats).some(({ isBusy }) => isBusy),
    send(models, turn, settings) {
      for (const model of models) {
        if (running.current.has(model)) continue
        const turns = turnsOf(model)
        // What was not answered is said anew.
        const before = turns.at(-1)?.role === 'user' ? turns.slice(0, -1) : turns
        mutate({ model, turns: [...before, turn], settings })
      }
    },
    reply: (model, turn, settings) => mutate({ model, turns: [...turnsOf(model), turn], settings }),
    again: (model, settings) => mutate({ model, turns: turnsOf(model), settings }),
    stop(model) {
      for (const [name, one] of running.current) if (model === undefined || name === model) one.abort()
    },
    clear() {
      for (const one of running.current.values()) one.abort()
      running.current.clear()
      setChats({})
    },
  }
}
