import { show } from '../../../show.ts'
import { resultOf } from '../results.ts'
import { hold, type RemoteSearchTarget, type SearchCheck, said } from './check.ts'
import { isTold } from './fields.ts'

/** HTML, and the text that callers must read. */
const HTML = {
  source: 'All <strong>gateways</strong> &amp; <b class="x">queues</b> do: &lt;T&gt;, it&#39;s &quot;so&quot;',
  text: 'All gateways & queues do: <T>, it\'s "so"',
}
/** Plain text that looks like HTML. */
const PLAIN = 'All <T> & "gateways" do where a < b, &amp; and more'

export const markupCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'returns titles and snippets as plain text',
  async run(target) {
    const { markup = target.harness.backend.markup ?? false } = target.upstream
    const [source, due] = markup ? [HTML.source, HTML.text] : [PLAIN, PLAIN]
    hold(target, [{ ...resultOf(1), title: source, text: source }])
    const found = await target.harness.search({ q: 'markup' })
    const [item] = found.answer.items
    if (!item) return [`A result with angle brackets in its title is missing: ${said(found)}`]
    const advice = markup
      ? 'Set `markup: true`, and return titles and snippets unchanged.'
      : 'The vendor has plain text: return it unchanged, without `markup`.'
    const keys: readonly ('title' | 'snippet')[] = isTold(target.upstream, 'text') ? ['title', 'snippet'] : ['title']
    return keys
      .filter((key) => item[key] !== due)
      .map(
        (key) =>
          `The vendor's text ${show(source)} is returned as the ${key} ${show(item[key])}, expected ${show(due)}. ${advice}`,
      )
  },
}
