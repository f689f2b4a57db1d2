import type { ErrorComponentProps } from "@tanstack/react-router"
import { useMessages } from "../i18n/useMessages.ts"
import { Button } from "../kit/Button.tsx"
import { ButtonLink } from "../kit/ButtonLink.tsx"
import { Empty, Notice, PageHeader } from "../kit/components.tsx"

export const MissingPage = () => {
  const t = useMessages("app")
  return (
    <>
      <PageHeader title={t.notFound} />
      <Empty
        icon="search"
        title={location.pathname}
        actions={
          <ButtonLink to="/" tone="main">
            {t.toOverview}
          </ButtonLink>
        }
      />
    </>
  )
}

/** Stands for a page that threw. A page of a former version can't load its code after an update: then a reload helps. */
export const FailedPage = ({ error }: ErrorComponentProps) => {
  const t = useMessages("app")
  const kit = useMessages("kit")
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
