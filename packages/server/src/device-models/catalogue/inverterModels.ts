import { type CatalogueModel, model } from "./CatalogueModel.ts"

const inverter = (manufacturer: string, name: string, power: number) => model(manufacturer, "inverter", name, { power })

/** Solar and hybrid inverters, rated by their continuous AC output in W. */
export const inverterModels: ReadonlyArray<CatalogueModel> = [
  inverter("enphase", "IQ7 Plus Microinverter", 290),
  inverter("enphase", "IQ8 Plus Microinverter", 290),
  inverter("enphase", "IQ8M Microinverter", 325),
  // A whole array of microinverters reports as one: its power depends on how many there are.
  model("enphase", "inverter", "IQ System"),
  inverter("fronius", "Primo 5.0-1", 5000),
  inverter("fronius", "Primo 7.6-1", 7600),
  inverter("fronius", "Primo GEN24 6.0 Plus", 6000),
  inverter("fronius", "Symo GEN24 10.0 Plus", 10_000),
  inverter("generac", "PWRcell Inverter XVT076A03", 7600),
  inverter("goodwe", "GW10K-ET", 10_000),
  inverter("huawei", "SUN2000-5KTL-L1", 5000),
  inverter("huawei", "SUN2000-10KTL-M1", 10_000),
  inverter("sma", "Sunny Boy 5.0", 5000),
  inverter("sma", "Sunny Boy 7.7-US", 7680),
  inverter("sma", "Sunny Tripower 10.0", 10_000),
  inverter("sol-ark", "15K-2P-N", 15_000),
  inverter("solaredge", "SE3800H", 3800),
  inverter("solaredge", "SE5000H", 5000),
  inverter("solaredge", "SE7600H", 7600),
  inverter("solaredge", "SE10000H", 10_000),
  inverter("sungrow", "SG5.0RS", 5000),
  inverter("sungrow", "SH10RT", 10_000),
  inverter("tesla", "Solar Inverter 3.8 kW", 3800),
  inverter("tesla", "Solar Inverter 7.6 kW", 7600)
]
