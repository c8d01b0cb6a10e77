import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { announce } from '../../../components/announcements.tsx'
import type { ChatReply } from './completion.ts'
import type { ChatSettings, ChatTurn, ResultsTurn, UserTurn } from './conversation.ts'
import { type ChatExchange, sendChat } from './send.ts'

/** Conversation with a model. */
export interface ModelChat {
  readonly turns: readonly ChatTurn[]
  readonly isBusy: boolean
  /** Partial response that is being received. */
  readonly live?: ChatReply | undefined
  /** Last response. */
  readonly last?: ChatReply | undefined
  readonly exchange?: ChatExchange | undefined
  /** Error of the last request. */
  readonly error?: unknown
}

export const NO_CHAT: ModelChat = { turns: [], isBusy: false }

export type Chats = Readonly<Record<string, ModelChat>>

export interface ChatsHandle {
  readonly chats: Chats
  readonly areBusy: boolean
  /** Sends a message to all models that are not busy. */
  send(models: readonly string[], turn: UserTurn, settings: ChatSettings): void
  /** Sends tool results to a model. */
  reply(model: string, turn: ResultsTurn, settings: ChatSettings): void
  /** Repeats the last request to a model. */
  again(model: string, settings: ChatSettings): void
  /** Stops a model, or all of them. */
  stop(model?: string): void
  clear(): void
}

/** Conversations with several models. Leaving the page aborts their requests. @param first conversations at the start */
export function useChats(project: string | undefined, first: Chats = {}): ChatsHandle {
  const [chats, setChats] = useState<Chats>(first)
  const running = useRef(new Map<string, AbortController>())
  const change = useCallback((model: string, next: ModelChat) => setChats((all) => ({ ...all, [model]: next })), [])
  useEffect(() => {
    const all = running.current
    return () => {
      for (const one of all.values()) one.abort()
      all.clear()
    }
  }, [])
  const { mutate } = useMutation({
    mutationFn: async ({
      model,
      turns,
      settings,
    }: {
      model: string
      turns: readonly ChatTurn[]
      settings: ChatSettings
    }) => {
      const controller = new AbortController()
      running.current.set(model, controller)
      const isOurs = (): boolean => running.current.get(model) === controller
      change(model, { turns, isBusy: true })
      try {
        const { answer, exchange } = await sendChat(
          { ...settings, model, turns },
          {
            project,
            signal: controller.signal,
            onProgress: (live) => isOurs() && change(model, { turns, live, isBusy: true }),
          },
        )
        if (!isOurs()) return
        running.current.delete(model)
        const { text, reasoning, thoughts, items, calls } = answer
        const hasContent = text !== '' || reasoning !== '' || calls.length > 0
        const facts = { ...exchange, usage: answer.usage }
        const next = hasContent
          ? [...turns, { role: 'assistant' as const, text, reasoning, thoughts, items, calls, facts }]
          : turns
        change(model, { turns: next, last: answer, exchange, isBusy: false })
        announce(answer.finish === 'stopped' ? `${model} stopped.` : `Response of ${model} complete.`)
      } catch (error) {
        if (!isOurs()) return
        running.current.delete(model)
        if (controller.signal.aborted) change(model, { turns, isBusy: false })
        else {
          change(model, { turns, error, isBusy: false })
          throw error
        }
      }
    },
  })
  const turnsOf = (model: string): readonly ChatTurn[] => chats[model]?.turns ?? []
  return {
    chats,
    areBusy: Object.values(chats).some(({ isBusy }) => isBusy),
    send(models, turn, settings) {
      for (const model of models) {
        if (running.current.has(model)) continue
        const turns = turnsOf(model)
        // A message without a response is replaced.
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
