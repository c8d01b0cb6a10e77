import { Button } from '../../../components/button.tsx'
import { Duration } from '../../../components/values.tsx'
import type { CompletedCall } from '../wire/call.ts'
import { resultsOf, webAddress } from './results.ts'

/** Results of a search. */
export function ResultList({ found, onPage }: { readonly found: CompletedCall; onPage(start: number): void }) {
  const { items, total, next, previous } = resultsOf(found.answer)
  return (
    <div className="flex flex-col gap-4">
      <p className="text-small text-muted">
        {total !== '' && items.length > 0 && `About ${total} results · `}
        {found.provider} · <Duration ms={Math.round(found.ms)} />
      </p>
      {items.length === 0 && <p>No results. Try fewer words or parameters.</p>}
      <ol className="flex max-w-3xl flex-col gap-4">
        {items.map(({ title, link, shown, snippet }) => {
          const address = webAddress(link)
          return (
            <li key={`${link} ${title}`}>
              {address === undefined ? (
                <p className="font-medium">{title}</p>
              ) : (
                <a href={address} target="_blank" rel="noreferrer" className="font-medium text-accent hover:underline">
                  {title || address}
                </a>
              )}
              <p className="truncate text-small text-muted">{shown || link}</p>
              <p className="wrap-anywhere">{snippet}</p>
            </li>
          )
        })}
      </ol>
      {(next !== undefined || previous !== undefined) && (
        <div className="flex gap-2">
          <Button disabled={previous === undefined} onClick={() => previous !== undefined && onPage(previous)}>
            Previous
          </Button>
          <Button disabled={next === undefined} onClick={() => next !== undefined && onPage(next)}>
            Next
          </Button>
        </div>
      )}
    </div>
  )
}
