import { useState } from 'react'
import { Code } from '../components/code.tsx'
import { Tabs } from '../components/tabs.tsx'
import { type Snippet, type SnippetOf, snippetsOf } from './snippets.ts'

export interface SnippetTabsProps extends SnippetOf {
  /** Secret to display, if it differs from the one to copy. */
  readonly shownSecret?: string | undefined
}

/** Code of a request, in a tab for each client. */
export function SnippetTabs({ shownSecret, ...of }: SnippetTabsProps) {
  const snippets = snippetsOf(of)
  const displayed = snippetsOf({ ...of, secret: shownSecret ?? of.secret })
  const [chosen, choose] = useState<Snippet['id']>('terminal')
  const shown = snippets.find(({ id }) => id === chosen)
  return (
    <Tabs<Snippet['id']> label="Clients" tabs={snippets} chosen={chosen} onChoose={choose}>
      {shown && (
        <Code
          text={shown.text}
          shown={displayed.find(({ id }) => id === chosen)?.text}
          label={`Code for ${shown.title}`}
        />
      )}
    </Tabs>
  )
}
