import { useEffect, useState } from 'react'
import type { RecordedChat } from './recorded-chat.ts'

/** Request that the next playground page shows. It is in memory only, because it can contain prompts. */
let waiting: RecordedChat | undefined

/** Gives a recorded request to the playground, which the caller opens next. */
export function handOver(chat: RecordedChat): void {
  waiting = chat
}

/** Recorded request for this page; undefined = none. It is taken once. */
export function useHandedOver(): RecordedChat | undefined {
  const [chat] = useState(() => waiting)
  useEffect(() => {
    waiting = undefined
  }, [])
  return chat
}
