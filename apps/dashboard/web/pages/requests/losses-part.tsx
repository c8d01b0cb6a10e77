import type { UsageOfRequest } from '../../api/usage.ts'
import { Chip } from '../../components/chip.tsx'
import { Part } from '../../components/part.tsx'
import { lossesOf } from './losses.ts'

/** What was lost in translation, where, and why. */
export function Losses({ row }: { readonly row: UsageOfRequest }) {
  const losses = lossesOf(row.losses)
  return (
    <Part title="Lost in translation">
      {losses.length === 0 ? (
        <p className="text-muted">
          {row.translated ? 'Nothing: all that was asked for reached the provider.' : 'Nothing: it was not translated.'}
        </p>
      ) : (
        <ul className="flex flex-col gap-2">
          {losses.map(({ path, kind, reason, isOfAnswer }) => (
            <li key={`${isOfAnswer} ${path} ${kind}`}>
              <p className="flex flex-wrap items-center gap-2">
                <code className="font-mono text-small wrap-anywhere">{path}</code>
                <Chip tone={kind === 'dropped' ? 'warn' : 'plain'}>{kind}</Chip>
                {isOfAnswer && <Chip>of the answer</Chip>}
              </p>
              <p className="text-muted">{reason}</p>
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}
