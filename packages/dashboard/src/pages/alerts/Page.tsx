import { useTexts } from "../../i18n/useTexts.ts"
import { PageHeader } from "../../kit/Parts.tsx"
import { Tabs } from "../../kit/Tabs.tsx"
import { useParameters } from "../../kit/useParameters.ts"
import "./alerts.css"
import { AlertDialog } from "./AlertDialog.tsx"
import { AlertList } from "./AlertList.tsx"
import { texts } from "./texts.ts"
import { Visibility } from "./Visibility.tsx"

export const Page = () => {
  const t = useTexts(texts)
  const [{ alert, tab }, change] = useParameters()
  return (
    <>
      <PageHeader title={t.title} />
      <Tabs
        label={t.views}
        value={tab === "visibility" ? "visibility" : "list"}
        onChange={(id) => change({ tab: id === "list" ? undefined : id })}
        tabs={[
          { id: "list", label: t.list, content: <AlertList /> },
          { id: "visibility", label: t.visibility, content: <Visibility /> }
        ]}
      />
      <AlertDialog id={alert} onClose={() => change({ alert: undefined }, { replace: true })} />
    </>
  )
}
