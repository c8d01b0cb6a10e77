import type { Principal } from './ledger.ts'

/** An answer that later requests may name: the responses format has them by default. */
export interface KeptAnswer {
  readonly id: string
  /** The person in a project, the project of a service key, or the key that it belongs to, as core writes it. */
  readonly owner: string
  /** Id of the project of the key; absent = the key has none. */
  readonly project?: string
  /** Id of the key that made it. */
  readonly key: string
  /** Name of the instance where it lives; absent = here. */
  readonly provider?: string
  /** As the caller named it. */
  readonly model: string
  /** Unix time in milliseconds, as all times here. */
  readonly createdAt: number
  /** Until when it can be named. */
  readonly keptUntil: number
  /** What else names it: ids of its items, and of what its tools made. */
  readonly items: readonly string[]
  /** What was asked and answered, sealed; of one that lives here, until it is kept no longer. */
  readonly data?: string
}

/** How much is kept of one key: the oldest go first. */
export interface AnswerRoom {
  readonly count: number
  /** Of the sealed text. */
  readonly bytes: number
}

/** Whose answers somebody may name. */
export interface AnswerSight {
  readonly owner: string
  /** Id of a project that shares: those of all of its keys too. */
  readonly project?: string
}

/** Where answers outlive the process, for all processes that share it. */
export interface AnswerStore {
  /**
   * Keeps an answer over the one of the same owner and id, and makes room among those of its key that live here.
   * Resolves when it is kept.
   */
  put(answer: KeptAnswer, room: AnswerRoom): Promise<void>
  /** Those that somebody may name and that have one of these ids, or an item of one of them. */
  find(sight: AnswerSight, ids: readonly string[]): Promise<readonly KeptAnswer[]>
  /** Which of these ids an answer or an item of one has, whoever it belongs to. */
  known(ids: readonly string[]): Promise<readonly string[]>
  /** @returns false where there is none. */
  remove(owner: string, id: string): Promise<boolean>
}

/** Encrypts what is kept. `about`: what it belongs to; it opens nothing else. */
export interface Sealer {
  seal(plain: Uint8Array, about: string): string
  /** Undefined where it was changed, belongs to something else, or was sealed by a secret that is not known. */
  open(sealed: string, about: string): Uint8Array | undefined
}

/** A use of a stored response that belongs to somebody else in a project that shares. */
export interface SharedUse {
  readonly principal: Principal
  readonly answer: Pick<KeptAnswer, 'id' | 'key' | 'owner'>
  readonly use: 'continue' | 'read' | 'delete' | 'cancel'
  /** The `x-request-id` of the request. */
  readonly requestId: string
  /** IP address at the other end of the socket. */
  readonly address: string | undefined
}

/** How answers of the responses format are kept. */
export interface AnswerOptions {
  /** Default: as long as the process lives. */
  readonly store?: AnswerStore
  /** Default: none, what is kept is plain. */
  readonly sealer?: Sealer
  /** How long an answer that was translated is kept, in milliseconds; default 86,400,000. `false`: never. */
  readonly keepMs?: number | false
  /** Default 1,000 answers and 67,108,864 bytes. */
  readonly room?: Partial<AnswerRoom>
  /** Records a use before the response is used. If it rejects, the request fails. Default: nothing is recorded. */
  readonly audit?: (use: SharedUse) => Promise<void>
  /**
   * Ids of earlier answers, files, caches, containers and vector stores that are unknown here, in every format: default
   * `refuse`, a 404.
   * `allow` sends them to the provider: anyone who knows an id can then read what other callers stored there. Ids that
   * belong to another key here stay a 404.
   */
  readonly foreignIds?: 'refuse' | 'allow'
}
