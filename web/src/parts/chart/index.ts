// Spark and numbers are light; Chart brings uPlot with it, so import it from "parts/chart/Chart" where it is needed.
export { percent, shortNumber } from "./numbers";
export { Spark } from "./Spark";
