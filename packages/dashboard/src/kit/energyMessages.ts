import type { EnergyName, NoEnergy } from "../api/energy.ts"
import { defineMessages } from "../i18n/language.ts"

/** The words for energies and for the reasons why there are none. */
export const energyMessages = defineMessages({
  en: {
    names: {
      generation: "Generated",
      production: "Solar and battery output",
      load: "Used",
      charged: "Charged",
      discharged: "Discharged",
      imported: "Imported",
      exported: "Exported",
      grid: "Grid, net"
    } satisfies Record<EnergyName, string>,
    meanings: {
      generation: "by the inverters",
      production: "generated and discharged",
      load: "by the site",
      charged: "into the batteries",
      discharged: "from the batteries",
      imported: "from the grid",
      exported: "into the grid",
      grid: "imported minus exported"
    } satisfies Record<EnergyName, string>,
    selfConsumption: "Self-consumption",
    selfConsumptionMeaning: "of the generated energy was not exported",
    selfSufficiency: "Self-sufficiency",
    selfSufficiencyMeaning: "of the used energy was not imported",
    reasons: {
      no_devices: "No device measures this.",
      before_first_reading: "No data yet.",
      disconnected: "The devices were disconnected.",
      not_measured: "Nothing was measured.",
      future: "This is in the future.",
      nothing_generated: "Nothing was generated.",
      nothing_used: "Nothing was used.",
      not_both: "Never measured at the same time.",
      not_comparable: "Not enough data to compare."
    } satisfies Record<NoEnergy, string>,
    nothing: "No energy was measured in this period",
    noDevice: {
      meter: "No meter reports here.",
      battery: "No battery reports here.",
      inverter: "No inverter reports here."
    }
  },
  es: {
    names: {
      generation: "Generada",
      production: "Producción solar y de batería",
      load: "Consumida",
      charged: "Cargada",
      discharged: "Descargada",
      imported: "Importada",
      exported: "Exportada",
      grid: "Red, neto"
    },
    meanings: {
      generation: "por los inversores",
      production: "generada y descargada",
      load: "por el hogar",
      charged: "en las baterías",
      discharged: "de las baterías",
      imported: "de la red",
      exported: "a la red",
      grid: "importada menos exportada"
    },
    selfConsumption: "Autoconsumo",
    selfConsumptionMeaning: "de lo generado no se exportó",
    selfSufficiency: "Autosuficiencia",
    selfSufficiencyMeaning: "de lo consumido no se importó",
    reasons: {
      no_devices: "Ningún dispositivo lo mide.",
      before_first_reading: "Aún no hay datos.",
      disconnected: "Los dispositivos se desconectaron antes.",
      not_measured: "No se midió nada.",
      future: "Aún no ha llegado.",
      nothing_generated: "No se generó nada.",
      nothing_used: "No se consumió nada.",
      not_both: "Nunca se midieron al mismo tiempo.",
      not_comparable: "No hay datos suficientes para comparar."
    },
    nothing: "No se midió energía en este periodo",
    noDevice: {
      meter: "Aquí no informa ningún contador.",
      battery: "Aquí no informa ninguna batería.",
      inverter: "Aquí no informa ningún inversor."
    }
  }
})
