import { useMessages } from "../../i18n/useMessages.ts"
import { PageHeader } from "../../kit/components.tsx"
import { Tabs } from "../../kit/Tabs.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import "./alerts.css"
import { AlertDialog } from "./AlertDialog.tsx"
import { AlertList } from "./AlertList.tsx"
import { Rules } from "./Rules.tsx"
import { Visibility } from "./Visibility.tsx"

const route = pageRoute("/dashboard/alerts")

export const Page = () => {
  const t = useMessages("alerts")
  const { alert, tab = "list" } = route.useSearch()
  const change = route.useChange()
  return (
    <>
      <PageHeader title={t.title} />
      <Tabs
        label={t.views}
        value={tab}
        onChange={(id) => change({ tab: id === "list" ? undefined : id })}
        tabs={[
          { id: "list", label: t.list, content: <AlertList /> },
          { id: "visibility", label: t.visibility, content: <Visibility /> },
          { id: "rules", label: t.rules, content: <Rules /> }
        ]}
      />
      <AlertDialog id={alert} onClose={() => change({ alert: undefined }, { replace: true })} />
    </>
  )
}
