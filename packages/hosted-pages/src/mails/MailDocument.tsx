import type { Language } from "@edp/domain/shared/Language"
import type { ReactNode } from "react"
import { writeDocument } from "../kit/Page.tsx"

/** A line that is less important. Mail programs obey only styles within the element. */
export const SmallPrint = ({ children }: { readonly children: string }) => (
  <p style={{ color: "#595959" }}>{children}</p>
)

/** The HTML of a mail. */
export const writeMail = (language: Language, heading: string, content: ReactNode): string =>
  writeDocument(
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <title>{heading}</title>
      </head>
      <body style={{ fontFamily: "sans-serif", fontSize: 14, color: "#1a1a1a" }}>
        <h1 style={{ fontSize: 18 }}>{heading}</h1>
        {content}
      </body>
    </html>
  )
