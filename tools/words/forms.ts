/** Words and forms that make a sentence hard to read, and what to write instead. */
export interface Form {
  readonly pattern: RegExp
  /** Replacement, as a hint. */
  readonly use: string
}

const ANYWHERE: readonly (readonly [pattern: string, use: string])[] = [
  [String.raw`\bmend(s|ed|ing)?\b`, 'fix'],
  [String.raw`\banew\b`, 'again'],
  [String.raw`\bcan not\b`, 'cannot'],
  [String.raw`\b(is|are|was|be|been|not) told\b`, 'notified, restricted'],
  [String.raw`\btold (of|by|apart|from)\b`, 'reported, distinguished'],
  [String.raw`\bnobody('s|’s)?\b`, 'no one, unknown, anonymous'],
  [String.raw`\b(some|any|every)body\b`, 'a user, anyone'],
  [String.raw`\bwho(so)?ever\b|\bwhatever\b`, 'anyone who, any'],
  [String.raw`\bput[- _]aside\b`, 'quarantined'],
  [String.raw`\b(is|are|was) none\b`, 'is not a …'],
  [String.raw`(?<!there )\b(is|are) no (?!longer)\w`, 'is not a …'],
  [String.raw`\bof (its|their|your) own\b`, 'separate; its own …'],
  [String.raw`\bones? (that|which|who)\b`, 'the noun'],
  [String.raw`\bthose (that|which|who)\b`, 'the noun'],
  [String.raw`\b(that|those) of\b`, 'the noun'],
  [String.raw`\bsuch an?\b`, 'this; a … like'],
  [String.raw`\b(is|are|was) (not )?there\b(?! (an?|is)\b)`, 'exists, is available'],
  [String.raw`\bha(s|ve) (it|an? \w+|the \w+|somebody) (be|no longer)\b`, 'one verb: revokes, sends'],
  [String.raw`\btexts\b|\b(a|any|no) text\b`, 'string, message'],
  [String.raw`\bmade\b`, 'created, sent'],
  [String.raw`\bmak(e|es|ing) (an?|another)\b`, 'create'],
  [String.raw`\b(is|are|be|was) asked\b|\bwho asks\b|\basks? (an?|it|the|every|models?)\b`, 'call, query; the caller'],
  [String.raw`\b(goe?s?|going|went) on\b`, 'continues'],
  [String.raw`\bst(and|ands|anding|ood)\b`, 'is, matches'],
  [String.raw`\blies? (in|with|at|there|beside)\b`, 'is in, is stored in'],
  [String.raw`\b(comes?|came) (to|of|about|by)\b`, 'results in, sign in with'],
  [String.raw`\b(goe?s? by|bec(a|o)mes? of|t(ake|akes|aken|ook) (it |them )?in)\b`, 'uses; happens to; ingests'],
  [String.raw`\bfor ever\b|\bno more\b(?=[.,;)]|$)`, 'permanently; no longer'],
  [String.raw`\bat once\b`, 'immediately; at the same time'],
  [String.raw`\bbeside\b`, 'next to; in addition to'],
  [String.raw`\b(nothing|none|all|everything) but\b|\bbut for\b`, 'only, except'],
  [String.raw`\bholds? (for|too|as well|here|within)\b`, 'applies to'],
  [String.raw`\bha(s|ve) to be\b`, 'must be'],
  [String.raw`\bas (it|they) (is|are|was|stands?)\b`, 'unchanged'],
  [String.raw`\bhears?\b|\bheard\b`, 'receives; last seen'],
  [String.raw`\bsays? (so|what|who|why|which|whether|how)\b`, 'reports, shows'],
  [String.raw`\bwords of\b|\b(own|your|other) words\b`, 'terms; message'],
  [String.raw`\b(life|lives|doubts?)\b`, 'process run; orphaned lease; warning'],
  [String.raw`\belsewhere\b`, 'the place'],
  [String.raw`\bhow much .{0,20}\bmay\b`, 'limit on'],
  [String.raw`\b(likewise|shall|thereof|suffice\w*|dear(er|est))\b`, 'also, must, more expensive'],
  [String.raw`\bat all times\b`, 'always'],
  [
    String.raw`\b(organisation|behaviour|colour|favour|honour|labelled|cancell(ed|ing)|catalogue|\w+[ra]lis(e|ed|es|ing))\b`,
    'American spelling',
  ],
]

/** Forms at the beginning of a sentence. Letters have their case. */
const SENTENCES: readonly (readonly [pattern: string, use: string])[] = [
  [String.raw`(^|[.:] )Most [a-z]+ (of|in|an?|at)\b`, 'Maximum …'],
  [String.raw`(^|[.!?:] )What\b(?![^.!?]*\?)`, 'the noun first'],
  [String.raw`(^|[.!?:] )Who(ever|se)?\b(?![^.!?]*\?)`, 'Anyone who …; the owner'],
  [String.raw`(^|[.!?] )Of (an?|the|each|these|those|two|several|what|all)\b`, 'the subject first'],
  [String.raw`(^|[.!?] )Where\b(?![^.!?]*\?)`, 'If …'],
  [String.raw`\b(that|which|who)\b[^.,;:]{4,60}\b(that|which|who)\b`, 'two sentences'],
]

/** Beginnings of docblocks that are not a noun phrase. */
const BEGINNINGS: readonly (readonly [pattern: string, use: string])[] = [
  [String.raw`^(What|Whether|How|Whose?|Where|When|Which)\b`, 'a noun phrase'],
  [String.raw`^(Of|By|From|In|At|For|With)\b`, 'a noun phrase'],
  [String.raw`^(The same|That|Those|One|Nothing|Nobody)\b`, 'a noun phrase'],
]

const forms = (table: readonly (readonly [string, string])[], flags: string): readonly Form[] =>
  table.map(([pattern, use]) => ({ pattern: new RegExp(pattern, flags), use }))

/** Forms that no page, message or comment has. */
export const FORMS: readonly Form[] = [...forms(ANYWHERE, 'i'), ...forms(SENTENCES, '')]

/** Forms that no docblock begins with. */
export const DOCBLOCK_FORMS: readonly Form[] = forms(BEGINNINGS, '')

/** Names of wires, and a prompt that models receive. Rewording them would change behavior. */
export const WIRE_NAMES = /\b(cancelled|stand-in|standalone|stand-alone)\b|no text around it, no code fence/g
