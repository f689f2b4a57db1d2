import type { ReactNode } from "react"
import { useTexts } from "../../i18n/useTexts.ts"
import { Age } from "../../kit/Figure.tsx"
import { Card, Notice } from "../../kit/Parts.tsx"
import { texts } from "./texts.ts"

interface PartProps<A> {
  readonly title: string
  readonly part: { readonly asOf: string; readonly value: A | null; readonly reason: "timed_out" | "failed" | null }
  readonly flush?: boolean
  readonly children: (value: A) => ReactNode
}

/** A part of the answer with the age of its measurement, or the reason why nothing is known. */
export const Part = <A,>({ title, part, flush = false, children }: PartProps<A>) => {
  const t = useTexts(texts)
  return (
    <Card
      title={title}
      flush={flush}
      actions={
        <span className="muted health-age">
          <Age time={part.asOf} live />
        </span>
      }
    >
      {part.value === null ? (
        <Notice state="warn" title={t.unknown}>
          {t.reasons[part.reason ?? "failed"]}
        </Notice>
      ) : (
        children(part.value)
      )}
    </Card>
  )
}
