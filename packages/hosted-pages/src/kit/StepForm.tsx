import { Button, ButtonAnchor, type Tone } from "@edp/dashboard/kit/Button.tsx"
import type { ReactNode } from "react"
import type { Scene } from "../scene/scene.ts"

interface StepFormProps {
  readonly scene: Scene
  readonly step: string
  readonly className?: string
  readonly children: ReactNode
}

/** A form that posts to a step of the flow. Outside of a flow nothing can be sent. */
export const StepForm = ({ scene: { request }, step, className, children }: StepFormProps) =>
  request.base !== null && (
    <form method="post" action={`${request.base}/${step}`} noValidate className={className}>
      {children}
    </form>
  )

interface SendButtonProps {
  readonly tone?: Tone
  readonly children: string
  /** The value that the button sends with the form. */
  readonly name?: string
  readonly value?: string
}

export const SendButton = ({ tone = "main", children, ...button }: SendButtonProps) => (
  <Button type="submit" tone={tone} {...button}>
    {children}
  </Button>
)

interface WayOnProps {
  readonly href: string
  readonly tone?: Tone
  readonly children: string
}

/** A link that looks like a button. */
export const WayOn = ({ href, tone = "main", children }: WayOnProps) => (
  <ButtonAnchor href={href} tone={tone} rel="noreferrer">
    {children}
  </ButtonAnchor>
)
