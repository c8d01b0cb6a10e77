import type { ReactNode } from 'react'
import { Code } from '../../components/code.tsx'
import { Entrance } from './entrance.tsx'

/** A link that was cut off, and how to come by another one. */
export function BrokenLink({ command, children }: { readonly command?: string; readonly children: ReactNode }) {
  return (
    <Entrance title="This link is not whole" lead={children}>
      {command !== undefined && <Code text={command} label="Command" />}
    </Entrance>
  )
}
