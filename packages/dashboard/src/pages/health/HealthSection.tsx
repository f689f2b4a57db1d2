import type { ReactNode } from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { Age } from "../../kit/Figure.tsx"
import { Card, Notice } from "../../kit/components.tsx"

interface HealthSectionProps<A> {
  readonly title: string
  readonly part: { readonly asOf: string; readonly value: A | null; readonly reason: "timed_out" | "failed" | null }
  readonly flush?: boolean
  readonly children: (value: A) => ReactNode
}

/** A part of the response with the age of its measurement, or the reason why nothing is known. */
export const HealthSection = <A,>({ title, part, flush = false, children }: HealthSectionProps<A>) => {
  const t = useMessages("health")
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
