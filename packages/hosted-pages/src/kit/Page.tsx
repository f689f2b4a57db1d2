import { languageNames, languages } from "@edp/domain/shared/Language"
import { Icon, type IconName } from "@edp/dashboard/kit/Icon.tsx"
import type { ReactNode } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import type { Scene } from "../scene/scene.ts"

interface PageProps {
  readonly scene: Scene
  readonly name: string
  readonly heading: string
  readonly children: ReactNode
  /** A picture above the heading. */
  readonly emblem?: Emblem | undefined
  /** The form was refused: the title says so first. */
  readonly hasProblems?: boolean
  /** Elements for the head. */
  readonly head?: ReactNode
  readonly wide?: boolean
}

export interface Emblem {
  readonly icon: IconName
  readonly tone: "good" | "bad" | "plain"
}

const Brand = ({ scene: { context, request } }: { readonly scene: Scene }) => {
  const { branding, clientName } = context
  const logo = branding.logoUrl === null ? null : request.logoPath(branding.logoUrl)
  if (logo !== null) return <img className="logo" src={logo} alt={clientName ?? ""} />
  return (
    <>
      <span className="mark">
        <Icon name="bolt" size={24} />
      </span>
      {clientName !== null && <span>{clientName}</span>}
    </>
  )
}

const Progress = ({ scene: { context, t } }: { readonly scene: Scene }) => {
  const { progress } = context
  if (progress === null) return null
  return (
    <div className="progress">
      <p>{t.progress({ step: progress.step, of: progress.of })}</p>
      <div className="steps" aria-hidden="true">
        {Array.from({ length: progress.of }, (_, index) => (
          <span key={index} className={index < progress.step ? "reached" : undefined} />
        ))}
      </div>
    </div>
  )
}

const LanguageLinks = ({ scene: { context, request, t } }: { readonly scene: Scene }) => {
  if (request.base === null) return null
  const here = request.here ?? request.base
  return (
    <nav className="languages" aria-label={t.language}>
      {languages
        .filter((language) => language !== context.language)
        .map((language) => (
          <a key={language} href={`${here}?language=${language}`} lang={language} hrefLang={language}>
            {languageNames[language]}
          </a>
        ))}
    </nav>
  )
}

/** Ways to ask the asking party, in the foot of a page. */
const Contact = ({ scene: { context, t } }: { readonly scene: Scene }) => {
  const { email, phone, url } = context.contact
  const ways = [
    email !== null && (
      <a key="email" href={`mailto:${email}`}>
        {email}
      </a>
    ),
    phone !== null && (
      <a key="phone" href={`tel:${phone.replaceAll(/[^+0-9]/g, "")}`}>
        {phone}
      </a>
    ),
    url !== null && (
      <a key="url" href={url} rel="noreferrer">
        {url.replace("https://", "")}
      </a>
    )
  ].filter((way) => way !== false)
  if (ways.length === 0) return null
  return (
    <p className="contact">
      {t.questions}{" "}
      {ways.map((way, index) => (
        <span key={way.key}>
          {index > 0 && " · "}
          {way}
        </span>
      ))}
    </p>
  )
}

/** The document around a page. */
export const Page = ({ scene, name, heading, children, emblem, hasProblems, head, wide }: PageProps) => {
  const { context, request, t } = scene
  const { assets } = request
  const accent = context.branding.accentColor
  return (
    <html lang={context.language} data-scheme={context.colorScheme ?? undefined}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={context.colorScheme ?? "light dark"} />
        <meta name="robots" content="noindex" />
        <title>{`${hasProblems === true ? t.errorTitlePrefix : ""}${t.documentTitle({ heading, asker: context.clientName })}`}</title>
        <link rel="icon" href={assets.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.styles} />
        {accent !== null && <link rel="stylesheet" href={assets.accent(accent)} />}
        <script src={assets.script} defer />
        {head}
      </head>
      <body data-page={name}>
        <header className="top">
          <Brand scene={scene} />
        </header>
        <main className={wide === true ? "card wide" : "card"}>
          <Progress scene={scene} />
          {emblem !== undefined && (
            <div className={`emblem ${emblem.tone}`}>
              <Icon name={emblem.icon} size={30} />
            </div>
          )}
          <h1>{heading}</h1>
          {children}
        </main>
        <footer>
          <Contact scene={scene} />
          <LanguageLinks scene={scene} />
        </footer>
      </body>
    </html>
  )
}

/** The text of a document. React escapes every text that is not an element itself. */
export const writeDocument = (document: ReactNode): string => `<!doctype html> ${renderToStaticMarkup(document)}\n`
