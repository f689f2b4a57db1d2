import { type Language, languages } from "@edp/domain/shared/Language"
import { type Html, html, type HtmlValue } from "./html.ts"
import { icons } from "./icons.ts"
import type { AssetPaths } from "./assetPaths.ts"
import type { CommonTexts } from "./texts/texts.ts"

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

/** Data of every page. */
export interface PageContext {
  readonly language: Language
  /** Null: the visitor's device decides. */
  readonly colorScheme: "light" | "dark" | null
  /** Name of the asking party: the caller's clientName, else the workspace's name. Null where the link is unknown. */
  readonly clientName: string | null
  readonly branding: { readonly logoUrl: string | null; readonly accentColor: string | null }
  /** Position of the visitor among the steps of a flow; null on pages outside of them. */
  readonly progress: { readonly step: number; readonly of: number } | null
}

/** A page of which only the language is known. */
export const plainContext = (language: Language): PageContext => ({
  language,
  colorScheme: null,
  clientName: null,
  branding: { logoUrl: null, accentColor: null },
  progress: null
})

/** Everything that the parts of a page need, with the texts of its flow. */
export interface Scene<Texts extends CommonTexts = CommonTexts> {
  readonly context: PageContext
  readonly request: PageRequest
  readonly t: Texts
  /** The asking party's name, or words that stand for it. */
  readonly asker: string
}

export const makeScene = <Texts extends CommonTexts>(
  texts: Readonly<Record<Language, Texts>>,
  context: PageContext,
  request: PageRequest
): Scene<Texts> => {
  const t = texts[context.language]
  return { context, request, t, asker: context.clientName ?? t.unknownAsker }
}

/** The parts of a page within the common frame. */
export interface PageParts {
  readonly name: string
  readonly heading: string
  readonly content: HtmlValue
  /** A picture above the heading. */
  readonly badge?: { readonly icon: Html; readonly tone: "good" | "bad" | "plain" }
  /** The form was refused: the title says so first. */
  readonly hasProblems?: boolean
  /** Elements for the head. */
  readonly head?: HtmlValue
  readonly wide?: boolean
}

const languageNames: Readonly<Record<Language, string>> = { en: "English", es: "Español" }

const brand = ({ context, request }: Scene): HtmlValue => {
  const { branding, clientName } = context
  const logo = branding.logoUrl === null ? null : request.logoPath(branding.logoUrl)
  if (logo !== null) return html`<img class="logo" src="${logo}" alt="${clientName ?? ""}" />`
  return [html`<span class="mark">${icons.bolt}</span>`, clientName !== null && html`<span>${clientName}</span>`]
}

const progress = ({ context: { progress }, t }: Scene): HtmlValue =>
  progress !== null &&
  html`<div class="progress">
    <p>${t.progress(progress.step, progress.of)}</p>
    <div class="steps" aria-hidden="true">
      ${Array.from(
        { length: progress.of },
        (_, index) => html`<span${index < progress.step && html` class="reached"`}></span>`
      )}
    </div>
  </div>`

const languageLinks = ({ context, request, t }: Scene): HtmlValue =>
  request.base !== null &&
  html`<nav class="languages" aria-label="${t.language}">
    ${languages
      .filter((language) => language !== context.language)
      .map(
        (language) =>
          html`<a href="${request.here ?? request.base}?language=${language}" lang="${language}" hreflang="${language}"
            >${languageNames[language]}</a
          >`
      )}
  </nav>`

/** The document around a page. */
export const frame = (scene: Scene, parts: PageParts): string => {
  const { context, request, t } = scene
  const { assets } = request
  const accent = context.branding.accentColor
  const title = `${parts.hasProblems === true ? t.errorTitlePrefix : ""}${t.documentTitle(parts.heading, context.clientName)}`
  return html`<!doctype html>
<html lang="${context.language}"${context.colorScheme !== null && html` data-scheme="${context.colorScheme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${context.colorScheme ?? "light dark"}">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.styles}">
${accent !== null && html`<link rel="stylesheet" href="${assets.accent(accent)}" /> `}<script src="${assets.script}" defer></script>
${parts.head ?? null}</head>
<body data-page="${parts.name}">
<header class="top">${brand(scene)}</header>
<main${parts.wide === true && html` class="wide"`}>
${progress(scene)}
${parts.badge !== undefined && html`<div class="badge ${parts.badge.tone}">${parts.badge.icon}</div>`}
<h1>${parts.heading}</h1>
${parts.content}
</main>
<footer>${languageLinks(scene)}</footer>
</body>
</html>
`.toString()
}
