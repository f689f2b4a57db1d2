import type { ErrorComponentProps } from "@tanstack/react-router"
import { useTexts } from "../i18n/useTexts.ts"
import { Button, ButtonLink } from "../kit/Button.tsx"
import { Empty, Notice, PageHeader } from "../kit/Parts.tsx"
import { kitTexts } from "../kit/texts.ts"
import { appTexts } from "./texts.ts"

export const MissingPage = () => {
  const t = useTexts(appTexts)
  return (
    <>
      <PageHeader title={t.notFound} />
      <Empty
        icon="search"
        title={location.pathname}
        actions={
          <ButtonLink to="/" tone="main">
            {t.toFleet}
          </ButtonLink>
        }
      />
    </>
  )
}

/** Stands for a page that threw. A page of a former version can't load its code after an update: then a reload helps. */
export const FailedPage = ({ error }: ErrorComponentProps) => {
  const t = useTexts(appTexts)
  const kit = useTexts(kitTexts)
  return (
    <>
      <PageHeader title={kit.failed} />
      <Notice
        state="bad"
        title={t.broken}
        announced
        actions={
          <Button icon="refresh" onClick={() => location.reload()}>
            {kit.reload}
          </Button>
        }
      >
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </Notice>
    </>
  )
}
