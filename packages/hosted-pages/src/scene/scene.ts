import type { Language } from "@edp/domain/shared/Language"
import type { CommonMessages } from "./messages.ts"

/** Addresses of the static files, each with its version, so that browsers may keep them for ever. */
export interface AssetPaths {
  readonly styles: string
  readonly script: string
  readonly icon: string
  /** The style sheet for an accent colour. */
  readonly accent: (hex: string) => string
}

/** Facts about the request that is answered with a page. */
export interface PageRequest {
  /** Address of the flow's pages, such as `/connect/<token>`; null outside of a flow. */
  readonly base: string | null
  /** Address of the page itself, to which a change of the language leads back; absent where it is the flow's. */
  readonly here?: string
  readonly assets: AssetPaths
  /** The address on our own origin of a logo elsewhere; null if it can't be shown. */
  readonly logoPath: (url: string) => string | null
  /** Whether a waiting page refreshes itself where scripts do not run. */
  readonly refreshes: boolean
}

export interface Contact {
  readonly email: string | null
  readonly phone: string | null
  /** An https address. */
  readonly url: string | null
}

/** Data of every page. */
export interface PageContext {
  readonly language: Language
  /** Null: the visitor's device decides. */
  readonly colorScheme: "light" | "dark" | null
  /** Name of the asking party: the caller's clientName, else the workspace's name. Null where the link is unknown or nobody has named the workspace. */
  readonly clientName: string | null
  readonly branding: { readonly logoUrl: string | null; readonly accentColor: string | null }
  /** Ways to ask the asking party; null for none. */
  readonly contact: Contact
  /** Position of the visitor among the steps of a flow; null on pages outside of them. */
  readonly progress: { readonly step: number; readonly of: number } | null
}

/** A page of which only the language is known. */
export const plainContext = (language: Language): PageContext => ({
  language,
  colorScheme: null,
  clientName: null,
  branding: { logoUrl: null, accentColor: null },
  contact: { email: null, phone: null, url: null },
  progress: null
})

/** Everything that the parts of a page need, with the messages of its flow. */
export interface Scene<Messages extends CommonMessages = CommonMessages> {
  readonly context: PageContext
  readonly request: PageRequest
  readonly t: Messages
  /** The asking party's name, or words that stand for it. */
  readonly asker: string
}

export const makeScene = <Messages extends CommonMessages>(
  messages: Readonly<Record<Language, Messages>>,
  context: PageContext,
  request: PageRequest
): Scene<Messages> => {
  const t = messages[context.language]
  return { context, request, t, asker: context.clientName ?? t.unknownAsker }
}
