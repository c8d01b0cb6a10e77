import { show } from '../../../show.ts'
import { resultOf } from '../results.ts'
import { hold, type RemoteSearchSubject, type SearchCheck, said } from './check.ts'
import { isTold } from './fields.ts'

/** HTML, and what is to be read of it. */
const HTML = {
  source: 'What <strong>gateways</strong> &amp; <b class="x">queues</b> do: &lt;T&gt;, it&#39;s &quot;so&quot;',
  text: 'What gateways & queues do: <T>, it\'s "so"',
}
/** Plain text that looks like HTML. */
const PLAIN = 'What <T> & "gateways" do where a < b, &amp; and more'

export const markupCheck: SearchCheck<RemoteSearchSubject> = {
  name: 'gives titles and snippets as plain text',
  async run(subject) {
    const { markup = subject.bench.backend.markup ?? false } = subject.upstream
    const [source, due] = markup ? [HTML.source, HTML.text] : [PLAIN, PLAIN]
    hold(subject, [{ ...resultOf(1), title: source, text: source }])
    const found = await subject.bench.search({ q: 'markup' })
    const [item] = found.answer.items
    if (!item) return [`A result with angle brackets in its title is not found: ${said(found)}`]
    const mend = markup
      ? 'Say `markup: true`, and leave titles and snippets as the vendor has them.'
      : 'The vendor has plain text: leave it as it is, without `markup`.'
    const keys: readonly ('title' | 'snippet')[] = isTold(subject.upstream, 'text') ? ['title', 'snippet'] : ['title']
    return keys
      .filter((key) => item[key] !== due)
      .map(
        (key) =>
          `The vendor's text ${show(source)} comes out as the ${key} ${show(item[key])}, due is ${show(due)}. ${mend}`,
      )
  },
}
