import type { z } from 'zod'
import type { Json } from '../canonical/json.ts'
import type { ModelFacts } from '../canonical/target.ts'
import type { UpstreamError } from '../errors.ts'
import type { ChatInProcess, ChatSupport } from './chat.ts'
import type { Credential } from './credential.ts'
import type { EmbeddingsSupport } from './embeddings.ts'
import { built } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import { checkMembers, membersOf } from './members.ts'
import type { RerankSupport } from './rerank.ts'
import { checkSupports } from './supports.ts'
import type { VideoSupport } from './video.ts'

/** The version of this contract. An adapter that was built for another one is refused at start. */
export const CONTRACT = 1

export interface CountTokensRequest {
  readonly model: string
  /** A body of the provider's own format, as it would be sent. */
  readonly body: Json
}

/** What an upstream charges for attempts that end without usage. */
export interface FailureBilling {
  /** Complete error responses (status 400 or more). Default: `free`. */
  readonly errors?: 'free' | 'billed' | undefined
  /**
   * Attempts that end before a complete response, as by a timeout, a reset or a caller who leaves. Default: unknown, so
   * their cost is held.
   */
  readonly aborted?: 'free' | undefined
}

/** Where a credential goes. */
export interface Upstream {
  /** Absent = everything runs in this process. */
  readonly baseUrl?: string
  /**
   * Hosts beside that of `baseUrl` to which requests, and with them the credential, may go, by https:
   * `api.example.com`,
   * `*.example.com`; or a whole origin, `http://10.0.0.5:8000`.
   */
  readonly hosts?: readonly string[]
  /**
   * The base URL is not the adapter's own, so that a gateway may stand there, this one too; `defineProvider` says so.
   */
  readonly isElsewhere?: boolean
  readonly credential: Credential
  readonly billing?: FailureBilling | undefined
}

/** A configured provider: a description. Core does all I/O. A family that is absent is not supported. */
export interface Provider extends Upstream {
  /** In order of preference. */
  readonly chat?: readonly (ChatSupport | ChatInProcess)[]
  readonly embeddings?: EmbeddingsSupport
  readonly rerank?: RerankSupport
  readonly video?: VideoSupport
  /** The live list of models. */
  readonly models?: Exchange<void, readonly ModelFacts[]>
  /** What the package itself knows of models. */
  readonly known?: readonly ModelFacts[]
  /** No model but the `known` ones exists. */
  readonly closed?: boolean
  /** Input tokens of a chat request, where the upstream counts them. */
  readonly countTokens?: Exchange<CountTokensRequest, number>
  /** Asked first for every answer that is no stream, 200 included; undefined = not an error, or core reads it. */
  readError?(answer: HttpResponse): UpstreamError | undefined
  close?(): Promise<void>
}

/**
 * Where a field of the config is looked for in the environment: a variable, or one that holds the path of a file whose
 * text counts.
 */
export type EnvironmentSource = string | { readonly file: string; readonly default?: string }

/** What an adapter says of itself before it is configured. */
export interface ProviderMeta<S extends z.ZodType> {
  /** Lower case, `a-z0-9-`: the value of the `vendor` header. */
  readonly id: string
  readonly title: string
  /**
   * A strict object. A `transform` can add what it checked, such as the credential: see `required`. Its output keeps
   * `baseUrl` if the config has one.
   */
  readonly config: S
  /**
   * Where the environment has fields of the config; the first that is set wins. A file's `default` is looked at last:
   * `~/.config/…`.
   */
  readonly env: Readonly<Partial<Record<keyof z.input<S> & string, readonly EnvironmentSource[]>>>
  /**
   * `configured` (default): every required field is there. `asked`: the config names it, or the environment gives its
   * `apiKey`.
   * `last-resort`: nothing else of its family is enabled.
   */
  readonly enable?: 'configured' | 'asked' | 'last-resort'
  /** A request that core sends to see whether the upstream is there (Ollama). */
  readonly probe?: (config: Partial<z.input<S>>) => HttpRequest
  /** Models that are surely its own. */
  readonly claims?: readonly RegExp[]
}

/** An adapter: a factory that describes itself. Throws a ZodError when the config is wrong. */
export interface ProviderAdapter<S extends z.ZodType = z.ZodType> extends ProviderMeta<S> {
  (config: z.input<S>): ProviderInstance
  readonly kind: 'provider'
  readonly contract: typeof CONTRACT
}

/** A configured provider under a name. */
export interface ProviderInstance extends Provider {
  /** By default the adapter's id; the `vendor` header names it. */
  readonly name: string
  readonly claims: readonly RegExp[]
}

/** What adapters of any kind say of themselves. */
export const META = membersOf<ProviderMeta<z.ZodType>>()('id title config env enable probe claims')

/** Families of other packages add members. */
const PROVIDER = membersOf<ProviderInstance, true>()(
  'name claims baseUrl hosts credential billing chat embeddings rerank video models known closed isElsewhere',
  'countTokens readError close',
)

/**
 * Makes an adapter out of its description and a function from its config to a provider. When it is called it throws a
 * TypeError for a member whose name is nearly one of the contract's.
 */
export function defineProvider<S extends z.ZodType>(
  meta: ProviderMeta<S>,
  build: (config: z.output<S>) => Provider,
): ProviderAdapter<S> {
  const create = (config: z.input<S>): ProviderInstance => {
    const provider: ProviderInstance = {
      name: meta.id,
      claims: meta.claims ?? [],
      ...built(meta.config, config, build),
    }
    checkMembers(`The description of ${meta.id}`, meta, META)
    checkMembers(`The provider ${meta.id}`, provider, PROVIDER)
    checkSupports(meta.id, provider)
    return provider
  }
  return Object.assign(create, {
    enable: 'configured' as const,
    ...meta,
    kind: 'provider' as const,
    contract: CONTRACT,
  } as const)
}
