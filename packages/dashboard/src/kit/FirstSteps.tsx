import { useMessages } from "../i18n/useMessages.ts"
import { ButtonLink } from "./ButtonLink.tsx"
import { Code } from "./Copy.tsx"
import { Card, Empty } from "./components.tsx"
import "./FirstSteps.css"

const demo = "npx -y pnpm@12 edp simulator town"

/** The key comes from the shell: a page must not show one. */
const makeCurl = (origin: string) => `curl -s ${origin}/v1/connections \\
  -H "Service-Api-Key: $EDP_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"referenceId": "user-1", "clientName": "Sunny Homes"}'`

/** Stands where a workspace has no devices yet. */
export const FirstSteps = () => {
  const t = useMessages("firstSteps")
  return (
    <div className="stack">
      <Empty icon="fleet" title={t.firstTitle}>
        {t.firstText}
      </Empty>
      <div className="first-steps">
        <Card title={t.demoTitle}>
          <p>{t.demoText}</p>
          <Code text={demo} label={t.command} />
        </Card>
        <Card
          title={t.curlTitle}
          actions={
            <ButtonLink to="/dashboard/keys" small icon="key">
              {t.keys}
            </ButtonLink>
          }
        >
          <p>{t.curlText}</p>
          <Code text={makeCurl(location.origin)} label={t.command} />
          <p>{t.curlAfter}</p>
        </Card>
      </div>
    </div>
  )
}
