"""Where the measures come from."""

from __future__ import annotations

from typing import NamedTuple


class Reference(NamedTuple):
    """A publication, in short and in full."""

    short: str
    full: str


REFERENCES: dict[str, Reference] = {
    "bengio2004": Reference(
        "Bengio & Grandvalet 2004",
        "Y. Bengio, Y. Grandvalet (2004). No unbiased estimator of the variance of K-fold "
        "cross-validation. Journal of Machine Learning Research 5, 1089-1105.",
    ),
    "bennett1962": Reference(
        "Bennett 1962",
        "G. Bennett (1962). Probability inequalities for the sum of independent random variables."
        " Journal of the American Statistical Association 57(297), 33-45.",
    ),
    "berge1957": Reference(
        "Berge 1957",
        "C. Berge (1957). Two theorems in graph theory. Proceedings of the National Academy of "
        "Sciences 43(9), 842-844.",
    ),
    "bodinier2023": Reference(
        "Bodinier et al. 2023",
        "B. Bodinier, S. Filippi, T. H. Nøst, J. Chiquet, M. Chadeau-Hyam (2023). Automated "
        "calibration for stability selection in penalised regression and graphical models. "
        "Journal of the Royal Statistical Society C 72(5), 1375-1393.",
    ),
    "bommert2020": Reference(
        "Bommert & Rahnenführer 2020",
        "A. Bommert, J. Rahnenführer (2020). Adjusted measures for feature selection "
        "stability for data sets with similar features. LOD 2020, LNCS 12565, 203-214.",
    ),
    "bordes2005": Reference(
        "Bordes et al. 2005",
        "A. Bordes, S. Ertekin, J. Weston, L. Bottou (2005). Fast kernel classifiers with online "
        "and active learning. Journal of Machine Learning Research 6, 1579-1619.",
    ),
    "breiman1984": Reference(
        "Breiman et al. 1984",
        "L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone (1984). Classification and "
        "regression trees. Wadsworth.",
    ),
    "breiman2001": Reference(
        "Breiman 2001",
        "L. Breiman (2001). Random forests. Machine Learning 45(1), 5-32.",
    ),
    "brown1910": Reference(
        "Brown 1910",
        "W. Brown (1910). Some experimental results in the correlation of mental abilities. "
        "British Journal of Psychology 3(3), 296-322.",
    ),
    "candes2018": Reference(
        "Candès et al. 2018",
        "E. Candès, Y. Fan, L. Janson, J. Lv (2018). Panning for gold: 'model-X' knockoffs for "
        "high dimensional controlled variable selection. Journal of the Royal Statistical Society "
        "B 80(3), 551-577.",
    ),
    "carletta1996": Reference(
        "Carletta 1996",
        "J. Carletta (1996). Assessing agreement on classification tasks: the kappa "
        "statistic. Computational Linguistics 22(2), 249-254.",
    ),
    "chan1983": Reference(
        "Chan et al. 1983",
        "T. F. Chan, G. H. Golub, R. J. LeVeque (1983). Algorithms for computing the sample "
        "variance: analysis and recommendations. The American Statistician 37(3), 242-247.",
    ),
    "chang2011": Reference(
        "Chang & Lin 2011",
        "C.-C. Chang, C.-J. Lin (2011). LIBSVM: a library for support vector machines. ACM "
        "Transactions on Intelligent Systems and Technology 2(3), 27:1-27:27.",
    ),
    "cheng1995": Reference(
        "Cheng 1995",
        "Y. Cheng (1995). Mean shift, mode seeking, and clustering. IEEE Transactions on Pattern "
        "Analysis and Machine Intelligence 17(8), 790-799.",
    ),
    "clinger1990": Reference(
        "Clinger 1990",
        "W. D. Clinger (1990). How to read floating point numbers accurately. PLDI 1990, 92-101.",
    ),
    "cover1967": Reference(
        "Cover & Hart 1967",
        "T. M. Cover, P. E. Hart (1967). Nearest neighbor pattern classification. IEEE "
        "Transactions on Information Theory 13(1), 21-27.",
    ),
    "csiszar1975": Reference(
        "Csiszár 1975",
        "I. Csiszár (1975). I-divergence geometry of probability distributions and minimization "
        "problems. Annals of Probability 3(1), 146-158.",
    ),
    "dai2023": Reference(
        "Dai et al. 2023",
        "C. Dai, B. Lin, X. Xing, J. S. Liu (2023). False discovery rate control via data "
        "splitting. Journal of the American Statistical Association 118(544), 2503-2520.",
    ),
    "davis2006": Reference(
        "Davis et al. 2006",
        "C. A. Davis, F. Gerick, V. Hintermair, C. C. Friedel, K. Fundel, R. Küffner, R. "
        "Zimmer (2006). Reliable gene signatures for microarray classification: assessment of "
        "stability and performance. Bioinformatics 22(19), 2356-2363.",
    ),
    "dernoncourt2014": Reference(
        "Dernoncourt et al. 2014",
        "D. Dernoncourt, B. Hanczar, J.-D. Zucker (2014). Analysis of feature selection "
        "stability on high dimension and small sample data. Computational Statistics & Data "
        "Analysis 71, 681-693.",
    ),
    "dice1945": Reference(
        "Dice 1945",
        "L. R. Dice (1945). Measures of the amount of ecologic association between species. "
        "Ecology 26(3), 297-302.",
    ),
    "ding2005": Reference(
        "Ding & Peng 2005",
        "C. Ding, H. Peng (2005). Minimum redundancy feature selection from microarray gene "
        "expression data. Journal of Bioinformatics and Computational Biology 3(2), 185-205.",
    ),
    "dunne2002": Reference(
        "Dunne et al. 2002",
        "K. Dunne, P. Cunningham, F. Azuaje (2002). Solutions to instability problems with "
        "sequential wrapper-based approaches to feature selection. Technical report TCD-"
        "CS-2002-28, Trinity College Dublin.",
    ),
    "durstenfeld1964": Reference(
        "Durstenfeld 1964",
        "R. Durstenfeld (1964). Algorithm 235: random permutation. Communications of the ACM "
        "7(7), 420.",
    ),
    "efron2011": Reference(
        "Efron 2011",
        "B. Efron (2011). Tweedie's formula and selection bias. Journal of the American "
        "Statistical Association 106(496), 1602-1614.",
    ),
    "fan2005": Reference(
        "Fan et al. 2005",
        "R.-E. Fan, P.-H. Chen, C.-J. Lin (2005). Working set selection using second order "
        "information for training support vector machines. Journal of Machine Learning Research "
        "6, 1889-1918.",
    ),
    "fayyad1993": Reference(
        "Fayyad & Irani 1993",
        "U. M. Fayyad, K. B. Irani (1993). Multi-interval discretization of continuous-valued "
        "attributes for classification learning. IJCAI 1993, 1022-1027.",
    ),
    "fisher2019": Reference(
        "Fisher et al. 2019",
        "A. Fisher, C. Rudin, F. Dominici (2019). All models are wrong, but many are useful: "
        "learning a variable's importance by studying an entire class of prediction models "
        "simultaneously. Journal of Machine Learning Research 20(177), 1-81.",
    ),
    "friedman2001": Reference(
        "Friedman 2001",
        "J. H. Friedman (2001). Greedy function approximation: a gradient boosting machine. "
        "Annals of Statistics 29(5), 1189-1232.",
    ),
    "friedman2010": Reference(
        "Friedman et al. 2010",
        "J. Friedman, T. Hastie, R. Tibshirani (2010). Regularization paths for generalized "
        "linear models via coordinate descent. Journal of Statistical Software 33(1), 1-22.",
    ),
    "fukunaga1975": Reference(
        "Fukunaga & Hostetler 1975",
        "K. Fukunaga, L. D. Hostetler (1975). The estimation of the gradient of a density "
        "function, with applications in pattern recognition. IEEE Transactions on Information "
        "Theory 21(1), 32-40.",
    ),
    "golub2013": Reference(
        "Golub & Van Loan 2013",
        "G. H. Golub, C. F. Van Loan (2013). Matrix Computations, 4th edition. Johns Hopkins "
        "University Press.",
    ),
    "guyon2002": Reference(
        "Guyon et al. 2002",
        "I. Guyon, J. Weston, S. Barnhill, V. Vapnik (2002). Gene selection for cancer "
        "classification using support vector machines. Machine Learning 46, 389-422.",
    ),
    "hansen2011": Reference(
        "Hansen et al. 2011",
        "P. R. Hansen, A. Lunde, J. M. Nason (2011). The model confidence set. Econometrica 79(2), "
        "453-497.",
    ),
    "haury2011": Reference(
        "Haury et al. 2011",
        "A.-C. Haury, P. Gestraud, J.-P. Vert (2011). The influence of feature selection methods "
        "on accuracy, stability and interpretability of molecular signatures. PLoS ONE 6(12), "
        "e28210.",
    ),
    "hedges1985": Reference(
        "Hedges & Olkin 1985",
        "L. V. Hedges, I. Olkin (1985). Statistical methods for meta-analysis. Academic Press.",
    ),
    "hedou2024": Reference(
        "Hédou et al. 2024",
        "J. Hédou, I. Marić, G. Bellan, et al. (2024). Discovery of sparse, reliable omic "
        "biomarkers with Stabl. Nature Biotechnology 42(10), 1581-1593.",
    ),
    "hestenes1969": Reference(
        "Hestenes 1969",
        "M. R. Hestenes (1969). Multiplier and gradient methods. Journal of Optimization Theory "
        "and Applications 4(5), 303-320.",
    ),
    "holm1979": Reference(
        "Holm 1979",
        "S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
        "Journal of Statistics 6(2), 65-70.",
    ),
    "hong2013": Reference(
        "Hong 2013",
        "Y. Hong (2013). On computing the distribution function for the Poisson binomial "
        "distribution. Computational Statistics & Data Analysis 59, 41-51.",
    ),
    "iman1987": Reference(
        "Iman & Conover 1987",
        "R. L. Iman, W. J. Conover (1987). A measure of top-down correlation. Technometrics "
        "29(3), 351-357.",
    ),
    "jaccard1901": Reference(
        "Jaccard 1901",
        "P. Jaccard (1901). Étude comparative de la distribution florale dans une portion des "
        "Alpes et du Jura. Bulletin de la Société Vaudoise des Sciences Naturelles 37, "
        "547-579.",
    ),
    "johnson2005": Reference(
        "Johnson et al. 2005",
        "N. L. Johnson, A. W. Kemp, S. Kotz (2005). Univariate Discrete Distributions, 3rd "
        "edition. Wiley.",
    ),
    "kalousis2005": Reference(
        "Kalousis et al. 2005",
        "A. Kalousis, J. Prados, M. Hilario (2005). Stability of feature selection "
        "algorithms. ICDM 2005, 218-225.",
    ),
    "kendall1945": Reference(
        "Kendall 1945",
        "M. G. Kendall (1945). The treatment of ties in ranking problems. Biometrika 33(3), "
        "239-251.",
    ),
    "kiefer1956": Reference(
        "Kiefer & Wolfowitz 1956",
        "J. Kiefer, J. Wolfowitz (1956). Consistency of the maximum likelihood estimator in the"
        " presence of infinitely many incidental parameters. Annals of Mathematical Statistics "
        "27(4), 887-906.",
    ),
    "knight1966": Reference(
        "Knight 1966",
        "W. R. Knight (1966). A computer method for calculating Kendall's tau with ungrouped "
        "data. Journal of the American Statistical Association 61(314), 436-439.",
    ),
    "kolde2012": Reference(
        "Kolde et al. 2012",
        "R. Kolde, S. Laur, P. Adler, J. Vilo (2012). Robust rank aggregation for gene list "
        "integration and meta-analysis. Bioinformatics 28(4), 573-580.",
    ),
    "kononenko1994": Reference(
        "Kononenko 1994",
        "I. Kononenko (1994). Estimating attributes: analysis and extensions of RELIEF. ECML "
        "1994, LNCS 784, 171-182.",
    ),
    "kott2001": Reference(
        "Kott 2001",
        "P. S. Kott (2001). The delete-a-group jackknife. Journal of Official Statistics 17(4),"
        " 521-526.",
    ),
    "krizek2007": Reference(
        "Křížek et al. 2007",
        "P. Křížek, J. Kittler, V. Hlaváč (2007). Improving stability of feature selection "
        "methods. CAIP 2007, LNCS 4673, 929-936.",
    ),
    "kruskal1952": Reference(
        "Kruskal & Wallis 1952",
        "W. H. Kruskal, W. A. Wallis (1952). Use of ranks in one-criterion variance analysis. "
        "Journal of the American Statistical Association 47(260), 583-621.",
    ),
    "kuncheva2007": Reference(
        "Kuncheva 2007",
        "L. I. Kuncheva (2007). A stability index for feature selection. AIAP 2007, 421-427.",
    ),
    "kursa2010": Reference(
        "Kursa & Rudnicki 2010",
        "M. B. Kursa, W. R. Rudnicki (2010). Feature selection with the Boruta package. Journal of "
        "Statistical Software 36(11), 1-13.",
    ),
    "laird1978": Reference(
        "Laird 1978",
        "N. Laird (1978). Nonparametric maximum likelihood estimation of a mixing distribution. "
        "Journal of the American Statistical Association 73(364), 805-811.",
    ),
    "lemire2021": Reference(
        "Lemire 2021",
        "D. Lemire (2021). Number parsing at a gigabyte per second. Software: Practice and "
        "Experience 51(8), 1700-1727.",
    ),
    "loscalzo2009": Reference(
        "Loscalzo et al. 2009",
        "S. Loscalzo, L. Yu, C. Ding (2009). Consensus group stable feature selection. KDD 2009, "
        "567-576.",
    ),
    "lundberg2020": Reference(
        "Lundberg et al. 2020",
        "S. M. Lundberg, G. Erion, H. Chen, et al. (2020). From local explanations to global "
        "understanding with explainable AI for trees. Nature Machine Intelligence 2, 56-67.",
    ),
    "lustgarten2009": Reference(
        "Lustgarten et al. 2009",
        "J. L. Lustgarten, V. Gopalakrishnan, S. Visweswaran (2009). Measuring stability of "
        "feature selection in biomedical datasets. AMIA Annual Symposium, 406-410.",
    ),
    "marill1963": Reference(
        "Marill & Green 1963",
        "T. Marill, D. M. Green (1963). On the effectiveness of receptors in recognition "
        "systems. IEEE Transactions on Information Theory 9(1), 11-17.",
    ),
    "mcnemar1947": Reference(
        "McNemar 1947",
        "Q. McNemar (1947). Note on the sampling error of the difference between correlated "
        "proportions or percentages. Psychometrika 12(2), 153-157.",
    ),
    "meinshausen2010": Reference(
        "Meinshausen & Bühlmann 2010",
        "N. Meinshausen, P. Bühlmann (2010). Stability selection. Journal of the Royal "
        "Statistical Society B 72(4), 417-473.",
    ),
    "melikechi2025": Reference(
        "Melikechi & Miller 2025",
        "O. Melikechi, J. W. Miller (2025). Integrated path stability selection. Journal of the "
        "American Statistical Association. doi:10.1080/01621459.2025.2525589.",
    ),
    "melikechi2025forests": Reference(
        "Melikechi et al. 2025",
        "O. Melikechi, D. B. Dunson, J. W. Miller (2025). Nonparametric IPSS: fast, flexible "
        "feature selection with false discovery control. Bioinformatics 41(5), btaf299.",
    ),
    "nadeau2003": Reference(
        "Nadeau & Bengio 2003",
        "C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine Learning "
        "52(3), 239-281.",
    ),
    "newton1994": Reference(
        "Newton & Raftery 1994",
        "M. A. Newton, A. E. Raftery (1994). Approximate Bayesian inference with the weighted "
        "likelihood bootstrap. Journal of the Royal Statistical Society B 56(1), 3-48.",
    ),
    "nogueira2016": Reference(
        "Nogueira & Brown 2016",
        "S. Nogueira, G. Brown (2016). Measuring the stability of feature selection. ECML "
        "PKDD 2016, LNCS 9852, 442-457.",
    ),
    "nogueira2018": Reference(
        "Nogueira et al. 2018",
        "S. Nogueira, K. Sechidis, G. Brown (2018). On the stability of feature selection "
        "algorithms. Journal of Machine Learning Research 18(174), 1-54.",
    ),
    "novovicova2009": Reference(
        "Novovičová et al. 2009",
        "J. Novovičová, P. Somol, P. Pudil (2009). A new measure of feature selection "
        "algorithms' stability. ICDM Workshops 2009, 382-387.",
    ),
    "ochiai1957": Reference(
        "Ochiai 1957",
        "A. Ochiai (1957). Zoogeographical studies on the soleoid fishes found in Japan and "
        "its neighbouring regions. Bulletin of the Japanese Society of Scientific Fisheries "
        "22, 526-530.",
    ),
    "press1988": Reference(
        "Press et al. 1988",
        "W. H. Press, B. P. Flannery, S. A. Teukolsky, W. T. Vetterling (1988). Numerical "
        "Recipes in C. Cambridge University Press.",
    ),
    "pudil1994": Reference(
        "Pudil et al. 1994",
        "P. Pudil, J. Novovičová, J. Kittler (1994). Floating search methods in feature "
        "selection. Pattern Recognition Letters 15(11), 1119-1125.",
    ),
    "ren2024": Reference(
        "Ren & Barber 2024",
        "Z. Ren, R. F. Barber (2024). Derandomised knockoffs: leveraging e-values for false "
        "discovery rate control. Journal of the Royal Statistical Society B 86(1), 122-154.",
    ),
    "robertson1988": Reference(
        "Robertson et al. 1988",
        "T. Robertson, F. T. Wright, R. L. Dykstra (1988). Order restricted statistical "
        "inference. Wiley.",
    ),
    "robnik2003": Reference(
        "Robnik-Šikonja & Kononenko 2003",
        "M. Robnik-Šikonja, I. Kononenko (2003). Theoretical and empirical analysis of "
        "ReliefF and RReliefF. Machine Learning 53, 23-69.",
    ),
    "rockafellar1976": Reference(
        "Rockafellar 1976",
        "R. T. Rockafellar (1976). Augmented Lagrangians and applications of the proximal point "
        "algorithm in convex programming. Mathematics of Operations Research 1(2), 97-116.",
    ),
    "saeys2008": Reference(
        "Saeys et al. 2008",
        "Y. Saeys, T. Abeel, Y. Van de Peer (2008). Robust feature selection using ensemble "
        "feature selection techniques. ECML PKDD 2008, LNCS 5212, 313-325.",
    ),
    "scheinberg2006": Reference(
        "Scheinberg 2006",
        "K. Scheinberg (2006). An efficient implementation of an active set method for SVMs. "
        "Journal of Machine Learning Research 7, 2237-2257.",
    ),
    "sechidis2020": Reference(
        "Sechidis et al. 2020",
        "K. Sechidis, K. Papangelou, S. Nogueira, J. Weatherall, G. Brown (2020). On the "
        "stability of feature selection in the presence of feature correlations. ECML PKDD "
        "2019, LNCS 11906, 327-342.",
    ),
    "shah2013": Reference(
        "Shah & Samworth 2013",
        "R. D. Shah, R. J. Samworth (2013). Variable selection with error control: another look "
        "at stability selection. Journal of the Royal Statistical Society B 75(1), 55-80.",
    ),
    "shao1989": Reference(
        "Shao & Wu 1989",
        "J. Shao, C. F. J. Wu (1989). A general theory for jackknife variance estimation. "
        "Annals of Statistics 17(3), 1176-1197.",
    ),
    "shi2006": Reference(
        "MAQC Consortium 2006",
        "MAQC Consortium (2006). The MicroArray Quality Control (MAQC) project shows inter- "
        "and intraplatform reproducibility of gene expression measurements. Nature "
        "Biotechnology 24, 1151-1161.",
    ),
    "smyth2004": Reference(
        "Smyth 2004",
        "G. K. Smyth (2004). Linear models and empirical Bayes methods for assessing differential "
        "expression in microarray experiments. Statistical Applications in Genetics and Molecular "
        "Biology 3(1), article 3.",
    ),
    "somol2000": Reference(
        "Somol & Pudil 2000",
        "P. Somol, P. Pudil (2000). Oscillating search algorithms for feature selection. ICPR "
        "2000, volume 2, 406-409.",
    ),
    "somol2008": Reference(
        "Somol & Novovičová 2008",
        "P. Somol, J. Novovičová (2008). Evaluating the stability of feature selectors that "
        "optimize feature subset cardinality. SSPR/SPR 2008, LNCS 5342, 956-966.",
    ),
    "somol2008dos": Reference(
        "Somol et al. 2008",
        "P. Somol, J. Novovičová, J. Grim, P. Pudil (2008). Dynamic oscillating search "
        "algorithm for feature selection. ICPR 2008.",
    ),
    "spearman1904": Reference(
        "Spearman 1904",
        "C. Spearman (1904). The proof and measurement of association between two things. "
        "American Journal of Psychology 15(1), 72-101.",
    ),
    "spearman1910": Reference(
        "Spearman 1910",
        "C. Spearman (1910). Correlation calculated from faulty data. British Journal of "
        "Psychology 3(3), 271-295.",
    ),
    "spector2022": Reference(
        "Spector & Janson 2022",
        "A. Spector, L. Janson (2022). Powerful knockoffs via minimizing reconstructability. "
        "Annals of Statistics 50(1), 252-276.",
    ),
    "stephens2017": Reference(
        "Stephens 2017",
        "M. Stephens (2017). False discovery rates: a new deal. Biostatistics 18(2), 275-294.",
    ),
    "tibshirani1996": Reference(
        "Tibshirani 1996",
        "R. Tibshirani (1996). Regression shrinkage and selection via the lasso. Journal of the "
        "Royal Statistical Society B 58(1), 267-288.",
    ),
    "trefethen2014": Reference(
        "Trefethen & Weideman 2014",
        "L. N. Trefethen, J. A. C. Weideman (2014). The exponentially convergent trapezoidal "
        "rule. SIAM Review 56(3), 385-458.",
    ),
    "tsamardinos2018": Reference(
        "Tsamardinos et al. 2018",
        "I. Tsamardinos, E. Greasidou, G. Borboudakis (2018). Bootstrapping the out-of-sample "
        "predictions for efficient and accurate cross-validation. Machine Learning 107, "
        "1895-1922.",
    ),
    "wald2013": Reference(
        "Wald et al. 2013",
        "R. Wald, T. M. Khoshgoftaar, A. Napolitano (2013). Stability of filter- and wrapper-"
        "based feature subset selection. ICTAI 2013, 374-380.",
    ),
    "wallace1959": Reference(
        "Wallace 1959",
        "D. L. Wallace (1959). Bounds on normal approximations to Student's and the chi-square "
        "distributions. Annals of Mathematical Statistics 30(4), 1121-1130.",
    ),
    "webber2010": Reference(
        "Webber et al. 2010",
        "W. Webber, A. Moffat, J. Zobel (2010). A similarity measure for indefinite rankings. "
        "ACM Transactions on Information Systems 28(4), 20.",
    ),
    "welch1947": Reference(
        "Welch 1947",
        "B. L. Welch (1947). The generalization of 'Student's' problem when several different "
        "population variances are involved. Biometrika 34(1-2), 28-35.",
    ),
    "whitney1971": Reference(
        "Whitney 1971",
        "A. W. Whitney (1971). A direct method of nonparametric measurement selection. IEEE "
        "Transactions on Computers C-20(9), 1100-1103.",
    ),
    "wilcoxon1945": Reference(
        "Wilcoxon 1945",
        "F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6), "
        "80-83.",
    ),
    "williams1976": Reference(
        "Williams 1976",
        "D. A. Williams (1976). Improved likelihood ratio tests for complete contingency tables. "
        "Biometrika 63(1), 33-37.",
    ),
    "yu2008": Reference(
        "Yu et al. 2008",
        "L. Yu, C. Ding, S. Loscalzo (2008). Stable feature selection via dense feature "
        "groups. KDD 2008, 803-811.",
    ),
    "yu2012": Reference(
        "Yu et al. 2012",
        "L. Yu, Y. Han, M. E. Berens (2012). Stable gene selection from microarray data via "
        "sample weighting. IEEE/ACM Transactions on Computational Biology and Bioinformatics "
        "9(1), 262-272.",
    ),
    "yuan2012": Reference(
        "Yuan et al. 2012",
        "G.-X. Yuan, C.-H. Ho, C.-J. Lin (2012). An improved GLMNET for L1-regularized logistic "
        "regression. Journal of Machine Learning Research 13, 1999-2030.",
    ),
    "zhang2009": Reference(
        "Zhang et al. 2009",
        "M. Zhang, L. Zhang, J. Zou, C. Yao, H. Xiao, Q. Liu, J. Wang, D. Wang, C. Wang, Z. "
        "Guo (2009). Evaluating reproducibility of differential expression discoveries in "
        "microarray studies by considering correlated molecular changes. Bioinformatics "
        "25(13), 1662-1668.",
    ),
    "zou2005": Reference(
        "Zou & Hastie 2005",
        "H. Zou, T. Hastie (2005). Regularization and variable selection via the elastic net. "
        "Journal of the Royal Statistical Society B 67(2), 301-320.",
    ),
    "zuber2009": Reference(
        "Zuber & Strimmer 2009",
        "V. Zuber, K. Strimmer (2009). Gene ranking and biomarker discovery under correlation. "
        "Bioinformatics 25(20), 2700-2707.",
    ),
    "zucknick2008": Reference(
        "Zucknick et al. 2008",
        "M. Zucknick, S. Richardson, E. A. Stronach (2008). Comparing the characteristics of "
        "gene expression profiles derived by univariate and multivariate classification "
        "methods. Statistical Applications in Genetics and Molecular Biology 7(1), 7.",
    ),
}
