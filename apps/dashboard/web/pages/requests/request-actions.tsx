import { Link } from '@tanstack/react-router'
import { Check, Copy, MessageSquareText, Terminal, Waypoints } from 'lucide-react'
import { useMay } from '../../api/me.ts'
import type { RequestDetails } from '../../api/usage.ts'
import { gatewayUrl } from '../../app/base.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { useCopied } from '../../components/copy.tsx'
import { ENTRY, Popover } from '../../components/popover.tsx'
import { sampleCurl } from './curl.ts'

/** Tabs of the playground that can repeat a request. */
const PLAYGROUND = ['chat', 'search', 'embeddings', 'video'] as const

/** Actions for a request: copy as curl, open in the playground, open its trace, copy an ID. */
export function RequestActions({ row }: { readonly row: RequestDetails }) {
  const mayPlay = useMay('playground.use') !== undefined
  const kind = PLAYGROUND.find((one) => one === row.family)
  const [isCopied, copy] = useCopied()
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        title="A short request to the same model in the same format, with the key from HEADGATE_API_KEY"
        onClick={() => copy(sampleCurl(gatewayUrl(), row))}
      >
        {isCopied ? <Check aria-hidden size={14} className="text-good" /> : <Terminal aria-hidden size={14} />}
        {isCopied ? 'Copied' : 'Copy as curl'}
      </Button>
      {mayPlay && kind !== undefined && row.model !== '' && (
        <Link
          to="/playground"
          search={{ kind, models: kind === 'search' ? undefined : row.model }}
          className={buttonClass()}
        >
          <MessageSquareText aria-hidden size={14} /> Open in playground
        </Link>
      )}
      {row.traceUrl !== undefined && (
        <a href={row.traceUrl} target="_blank" rel="noreferrer" className={buttonClass()}>
          <Waypoints aria-hidden size={14} /> Open trace
        </a>
      )}
      <CopyIds row={row} />
    </div>
  )
}

function CopyIds({ row }: { readonly row: RequestDetails }) {
  const [isCopied, copy] = useCopied()
  const ids = [
    ['Request ID', row.requestId],
    ['Row ID', row.id],
    ['Key ID', row.principal],
    ...(row.traceId === null ? [] : [['Trace ID', row.traceId]]),
    ...(row.priceId === null ? [] : [['Price ID', row.priceId]]),
  ] as const
  return (
    <Popover
      label="Copy ID"
      className="border-field! text-text!"
      face={
        <>{isCopied ? <Check aria-hidden size={14} className="text-good" /> : <Copy aria-hidden size={14} />} Copy ID</>
      }
    >
      {ids.map(([title, id]) => (
        <button key={title} type="button" data-closes className={ENTRY} onClick={() => copy(id ?? '')}>
          <span>{title}</span>
          <code className="ml-auto max-w-56 truncate pl-4 font-mono text-small text-muted">{id}</code>
        </button>
      ))}
    </Popover>
  )
}
